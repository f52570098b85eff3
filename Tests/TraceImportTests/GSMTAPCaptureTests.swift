import Bytes
import SmartCard
import Testing
import TraceImport

/// Captures made here by the descriptions of the formats: pcap (draft-ietf-opsawg-pcap), link types
/// (tcpdump.org), IPv4 and IPv6 (RFC 791, 8200), UDP (RFC 768) and GSMTAP's header (libosmocore,
/// gsmtap.h: version 2, 4 words, type 4 for cards).
@Suite struct GSMTAPCaptureTests {
    private enum Kind {
        static let (whole, reset, pps, header, command, answer, status) =
            (0, 1, 2, 4, 5, 6, 7) as (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8)
    }

    private func little(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    private func big16(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }

    private func gsmtap(_ hex: String, _ kind: UInt8 = 0, type: UInt8 = 4) throws -> [UInt8] {
        [2, 4, type, 0, 0, 0, 0, 0, 0, 0, 0, 0, kind, 0, 0, 0] + (try [UInt8](hex: hex))
    }

    private func udp(_ payload: [UInt8], port: Int = 4729) -> [UInt8] {
        big16(50_000) + big16(port) + big16(payload.count + 8) + [0, 0] + payload
    }

    private func ip4(_ datagram: [UInt8], fragment: UInt8 = 0) -> [UInt8] {
        [0x45, 0] + big16(datagram.count + 20) + [0, 1, fragment, 0, 64, 17, 0, 0, 127, 0, 0, 1, 127, 0, 0, 1]
            + datagram
    }

    private func ip6(_ datagram: [UInt8]) -> [UInt8] {
        [0x60, 0, 0, 0] + big16(datagram.count) + [17, 64] + [UInt8](repeating: 0, count: 32) + datagram
    }

    private func pcap(_ packets: [[UInt8]], linkType: Int) -> [UInt8] {
        packets.enumerated().reduce(
            into: little(0xA1B2_C3D4) + [2, 0, 4, 0] + little(0) + little(0) + little(65535) + little(linkType)
        ) {
            $0 +=
                little(1_700_000_000) + little($1.offset * 1000) + little($1.element.count) + little($1.element.count)
                + $1.element
        }
    }

    private func ethernet(_ packet: [UInt8], type: Int = 0x0800) -> [UInt8] {
        [UInt8](repeating: 0, count: 12) + big16(type) + packet
    }

    private func imported(_ file: [UInt8], _ broken: BrokenParts = .refused) throws -> LogImport {
        try LogImport(file, brokenParts: broken)
    }
    private func hexes(_ log: LogImport) -> [String] {
        log.trace.exchanges.flatMap { [$0.command.bytes.hex, $0.response.bytes.hex] }
    }

    /// Reset, SELECT with data, GET RESPONSE, READ RECORD; a request about speed is passed over.
    private func session() throws -> [[UInt8]] {
        try [
            gsmtap("3B6500002063CB6800", Kind.reset), gsmtap("FF10957A", Kind.pps),
            gsmtap("00A4040007A0000000031010" + "6104"), gsmtap("00C0000004" + "6F028400" + "9000"),
            gsmtap("00B2010C02" + "7000" + "9000"),
        ].map { udp($0) }
    }

    private static let expected = [
        "00A4040007A0000000031010", "6104", "00C0000004", "6F0284009000", "00B2010C02", "70009000",
    ]

    @Test("Captures of each link type are read") func everyLink() throws {
        let session = try session()
        let links: [(Int, ([UInt8]) -> [UInt8])] = [
            (1, { ethernet($0) }), (1, { ethernet([0, 5, 0x08, 0] + $0, type: 0x8100) }), (0, { [2, 0, 0, 0] + $0 }),
            (101, { $0 }), (113, { [UInt8](repeating: 0, count: 16) + $0 }),
            (276, { [UInt8](repeating: 0, count: 20) + $0 }),
        ]
        for (linkType, wrap) in links {
            for datagrams in [session.map { ip4($0) }, session.map { ip6($0) }] {
                let log = try imported(pcap(datagrams.map(wrap), linkType: linkType))
                #expect(log.format == .gsmtap, "link type \(linkType)")
                #expect(hexes(log) == Self.expected, "link type \(linkType)")
                #expect(log.trace.entries.first?.event == .reader(.reset(try [UInt8](hex: "3B6500002063CB6800"))))
                #expect(log.trace.exchanges.map(\.sent) == [.milliseconds(2), .milliseconds(3), .milliseconds(4)])
                #expect(log.trace.exchanges.map(\.line) == [3, 4, 5])
            }
        }
    }

    /// Other ports, other types of GSMTAP, fragments and other protocols are not a part of it.
    @Test func whatIsInBetween() throws {
        let other = [
            ethernet(ip4(udp(try gsmtap("00B2010C00"), port: 53))),
            ethernet(ip4(udp(try gsmtap("00B2010C00", type: 1)))),
            ethernet(ip4(udp(try gsmtap("00B2010C00")), fragment: 0x20)), ethernet([1, 2, 3], type: 0x0806), [],
        ]
        let packets = try session().flatMap { [ethernet(ip4($0))] + other }
        #expect(hexes(try imported(pcap(packets, linkType: 1))) == Self.expected)
    }

    @Test("The same in parts: header, data of the command, data of the answer, status") func unitsInParts() throws {
        let parts = try [
            gsmtap("00A4040007", Kind.header), gsmtap("A0000000031010", Kind.command), gsmtap("6104", Kind.status),
            gsmtap("00C0000004", Kind.header), gsmtap("6F028400", Kind.answer), gsmtap("9000", Kind.status),
        ]
        let log = try imported(pcap(parts.map { ethernet(ip4(udp($0))) }, linkType: 1))
        #expect(hexes(log) == Array(Self.expected.prefix(4)))
    }

    @Test("A card that refuses the header is never sent the data") func refusedHeader() throws {
        let log = try imported(pcap([ethernet(ip4(udp(try gsmtap("00A40400076D00"))))], linkType: 1))
        #expect(hexes(log) == ["00A40400", "6D00"])
    }

    @Test func brokenMessagesNameThePacket() throws {
        let good = ethernet(ip4(udp(try gsmtap("00C00000046F0284009000"))))
        let cases: [([UInt8], String)] = [
            (ethernet(ip4(udp([2, 4, 4]))), "packet 2: the GSMTAP message is cut"),
            (ethernet(ip4(udp(try gsmtap("00B2")))), "packet 2: 2 bytes are not a TPDU: it has 7 to 263"),
            (ethernet(ip4(udp(try gsmtap("9000", Kind.status)))), "packet 2: a part without the header of its command"),
            (
                ethernet(ip4(udp(try gsmtap("00A4040007", Kind.header)))),
                "packet 2: the status of the command is missing"
            ),
        ]
        for (packet, words) in cases {
            let file = pcap([good, packet], linkType: 1)
            #expect { try imported(file) } throws: { "\($0)" == words }
            #expect(hexes(try imported(file, .skipped)).count == 2)
        }
        let endless =
            try [gsmtap("00A4040007", Kind.header)]
            + (0..<20).map { _ in try gsmtap(String(repeating: "00", count: 200), Kind.command) }
        #expect { try imported(pcap(endless.map { ethernet(ip4(udp($0))) }, linkType: 1)) } throws: {
            "\($0)".hasSuffix("the parts are longer than any TPDU")
        }
    }

    @Test("Every file that is cut somewhere, and every byte changed, is a log or an error") func damagedFiles() throws {
        let file = pcap(try session().map { ethernet(ip4($0)) }, linkType: 1)
        for count in 0..<file.count { _ = try? imported(Array(file.prefix(count)), .skipped) }
        for index in file.indices {
            var damaged = file
            damaged[index] ^= 0xFF
            if let log = try? imported(damaged, .skipped) { #expect(log.trace.exchanges.count <= 3) }
        }
    }
}

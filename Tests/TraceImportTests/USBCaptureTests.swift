import Bytes
import SmartCard
import Testing
import TraceImport

/// Captures made here by the descriptions of the formats: pcap and pcapng (draft-ietf-opsawg-pcap,
/// -pcapng), usbmon's header (Linux, Documentation/usb/usbmon.rst) and CCID's messages (USB CCID
/// 1.1, 6.1 and 6.2).
@Suite struct USBCaptureTests {
    struct Transfer {
        var isIn: Bool
        var bytes: [UInt8]
        var microseconds: UInt32 = 0
        var device: UInt8 = 4
    }

    private func little(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) } }

    /// `struct usbmon_packet`: id, type, transfer type, endpoint, device, bus, setup and data
    /// flags, time, status, lengths, setup.
    private func packet(_ transfer: Transfer, mapped: Bool, type: UInt8? = nil) -> [UInt8] {
        let count = UInt32(transfer.bytes.count)
        var bytes: [UInt8] = [
            1, 2, 3, 4, 5, 6, 7, 8, type ?? (transfer.isIn ? 0x43 : 0x53), 3, transfer.isIn ? 0x82 : 0x02,
            transfer.device, 1, 0, 0x2D, 0,
        ]
        bytes +=
            little(1_700_000_000) + little(0) + little(transfer.microseconds) + little(0) + little(count)
            + little(count)
        bytes += [UInt8](repeating: 0, count: mapped ? 24 : 8)
        return bytes + transfer.bytes
    }

    private func pcap(_ transfers: [Transfer], linkType: UInt32) -> [UInt8] {
        let header = little(0xA1B2_C3D4) + [2, 0, 4, 0] + little(0) + little(0) + little(65535) + little(linkType)
        return transfers.reduce(into: header) { file, transfer in
            let packet = packet(transfer, mapped: linkType == 220)
            file +=
                little(1_700_000_000) + little(transfer.microseconds) + little(UInt32(packet.count))
                + little(UInt32(packet.count)) + packet
        }
    }

    private func pcapng(_ transfers: [Transfer]) -> [UInt8] {
        func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
            let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
            let length = little(UInt32(padded.count + 12))
            return little(type) + length + padded + length
        }
        let head =
            block(0x0A0D_0D0A, little(0x1A2B_3C4D) + [1, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8))
            + block(1, [220, 0, 0, 0] + little(65535))
        return transfers.enumerated().reduce(into: head) { file, pair in
            let packet = packet(pair.element, mapped: true)
            if pair.offset % 2 == 0 {
                file += block(
                    6,
                    little(0) + little(0) + little(0) + little(UInt32(packet.count)) + little(UInt32(packet.count))
                        + packet)
            } else {
                file += block(3, little(UInt32(packet.count)) + packet)
            }
        }
    }

    /// bMessageType, dwLength, bSlot, bSeq, three bytes of parameters.
    private func message(_ type: UInt8, _ data: [UInt8], status: UInt8 = 0, error: UInt8 = 0, part: UInt8 = 0)
        -> [UInt8]
    {
        [type] + little(UInt32(data.count)) + [0, 0] + (type >= 0x80 ? [status, error, part] : [0, part, 0]) + data
    }

    private func exchange(_ command: String, _ answer: String) throws -> [Transfer] {
        [
            Transfer(isIn: false, bytes: message(0x6F, try [UInt8](hex: command))),
            Transfer(isIn: true, bytes: message(0x80, try [UInt8](hex: answer))),
        ]
    }

    private func power() throws -> [Transfer] {
        [
            Transfer(isIn: false, bytes: message(0x62, [])),
            Transfer(isIn: true, bytes: message(0x80, try [UInt8](hex: "3B6500002063CB6800"))),
        ]
    }

    private func imported(_ file: [UInt8], _ broken: BrokenParts = .refused) throws -> LogImport {
        try LogImport(file, brokenParts: broken)
    }

    private func hexes(_ log: LogImport) -> [String] {
        log.trace.exchanges.flatMap { [$0.command.bytes.hex, $0.response.bytes.hex] }
    }

    @Test func commandsOfEveryFile() throws {
        var transfers =
            try power() + exchange(Sample.select, Sample.selected) + exchange(Sample.record, Sample.recorded)
        for index in transfers.indices { transfers[index].microseconds = UInt32(index * 1000) }
        for file in [pcap(transfers, linkType: 189), pcap(transfers, linkType: 220), pcapng(transfers)] {
            let log = try imported(file)
            #expect(log.format == .usbmon)
            #expect(hexes(log) == PairsLogTests.expected)
            #expect(log.trace.entries.first?.event == .reader(.reset(try [UInt8](hex: "3B6500002063CB6800"))))
            // From the answer to reset on, which is the second transfer.
            #expect(log.trace.exchanges.map(\.sent) == [.milliseconds(1), .milliseconds(3)])
            #expect(log.trace.exchanges.map(\.line) == [3, 5], "packets are counted from 1")
        }
    }

    @Test("A file whose headers are the other way around, from a machine of the other byte order") func bigEndianFiles()
        throws
    {
        let transfers = try power() + exchange(Sample.select, Sample.selected)
        var file: [UInt8] = []
        func big(_ value: UInt32) -> [UInt8] { little(value).reversed() }
        file += big(0xA1B2_C3D4) + [0, 2, 0, 4] + big(0) + big(0) + big(65535) + big(189)
        for transfer in transfers {
            var packet = packet(transfer, mapped: false)
            for field in [16..<24, 24..<28, 28..<32, 32..<36, 36..<40] {
                packet.replaceSubrange(field, with: packet[field].reversed())
            }
            file += big(0) + big(0) + big(UInt32(packet.count)) + big(UInt32(packet.count)) + packet
        }
        #expect(hexes(try imported(file)) == [Sample.select, Sample.selected])
    }

    /// A message in two transfers, requests for time, other endpoints and another device in
    /// between.
    @Test func whatIsInBetween() throws {
        let answer = message(0x80, try [UInt8](hex: Sample.selected))
        let transfers =
            try power() + [
                Transfer(isIn: false, bytes: message(0x6F, try [UInt8](hex: Sample.select))),
                Transfer(isIn: true, bytes: message(0x80, [], status: 0x80, error: 1)),
                Transfer(isIn: false, bytes: [0x55, 0x53, 0x42, 0x43], device: 9),
                Transfer(isIn: true, bytes: Array(answer.prefix(20))),
                Transfer(isIn: true, bytes: Array(answer.dropFirst(20))),
            ]
        #expect(hexes(try imported(pcap(transfers, linkType: 220))) == [Sample.select, Sample.selected])
    }

    /// A clock that is set back while the capture runs.
    @Test func timesDoNotGoBack() throws {
        var transfers = try exchange(Sample.select, Sample.selected) + exchange(Sample.record, Sample.recorded)
        for (index, time) in [UInt32(5000), 6000, 2000, 7000].enumerated() { transfers[index].microseconds = time }
        let exchanges = try imported(pcap(transfers, linkType: 189)).trace.exchanges
        #expect(exchanges.map(\.sent) == [.zero, .milliseconds(1)])
        #expect(exchanges.map(\.received) == [.milliseconds(1), .milliseconds(2)])
    }

    /// T=0 at TPDU level: GET RESPONSE is a command of its own, as it went over the wire.
    @Test func transportUnitsOfT0() throws {
        let transfers =
            try power() + exchange(String(Sample.select.dropLast(2)), "6118") + exchange("00C0000018", Sample.selected)
        #expect(
            hexes(try imported(pcap(transfers, linkType: 189))) == [
                String(Sample.select.dropLast(2)), "6118", "00C0000018", Sample.selected,
            ])
    }

    @Test func blocksOfT1() throws {
        func block(_ control: UInt8, _ hex: String) throws -> String {
            let data = try [UInt8](hex: hex)
            let body = [0, control, UInt8(data.count)] + data
            return (body + [body.reduce(0, ^)]).hex
        }
        let half = String(Sample.select.prefix(12)), rest = String(Sample.select.dropFirst(12))
        let transfers =
            try power() + exchange("FF11958F", "FF11958F")
            + exchange(try block(0xC1, "FE"), try block(0xE1, "FE"))
            // The command in two blocks with the card's acknowledgement; the card asks for time;
            // the answer in two blocks.
            + exchange(try block(0x20, half), try block(0x90, ""))
            + exchange(try block(0x40, rest), try block(0xC3, "02"))
            + exchange(try block(0xE3, "02"), try block(0x20, String(Sample.selected.prefix(20))))
            + exchange(try block(0x90, ""), try block(0x40, String(Sample.selected.dropFirst(20))))
            + exchange(try block(0x00, Sample.record), try block(0x00, Sample.recorded))
        #expect(hexes(try imported(pcap(transfers, linkType: 220))) == PairsLogTests.expected)
    }

    /// bmCommandStatus 1: failed; bmICCStatus 2: no card (USB CCID 1.1, 6.2.6).
    @Test("6.1.4 and 6.2.1: an extended APDU in several messages, wLevelParameter and bChainParameter 1, 3, 2 and 10")
    func partsOfExtendedAPDUs() throws {
        let command = try [UInt8](hex: "00DA0101" + "000258" + String(repeating: "A5", count: 600))
        let answer = try [UInt8](hex: String(repeating: "5A", count: 700) + "9000")
        func asked(_ data: ArraySlice<UInt8>, _ part: UInt8) -> Transfer {
            Transfer(isIn: false, bytes: message(0x6F, Array(data), part: part))
        }
        func answered(_ data: ArraySlice<UInt8>, _ part: UInt8) -> Transfer {
            Transfer(isIn: true, bytes: message(0x80, Array(data), part: part))
        }
        let transfers =
            try power() + [
                asked(command.prefix(261), 1), answered([], 0x10), asked(command[261..<522], 3), answered([], 0x10),
                asked(command[522...], 2),
                answered(answer.prefix(261), 1), asked([], 0x10), answered(answer[261..<522], 3), asked([], 0x10),
                answered(answer[522...], 2),
            ] + exchange(Sample.record, Sample.recorded)
        let log = try imported(pcap(transfers, linkType: 220))
        #expect(hexes(log) == [command.hex, answer.hex, Sample.record, Sample.recorded])
        // Parts that miss others are named, and left out on request.
        let begun = [asked(command.prefix(261), 1), answered([], 0x10)],
            rest = try exchange(Sample.record, Sample.recorded)
        let parts: [([Transfer], Int, LogProblem.Reason)] = [
            (try power() + begun + power() + rest, 3, .noLastPart(.command)),
            (try power() + rest + begun, 5, .noLastPart(.command)),
            (try power() + begun + rest, 3, .noLastPart(.command)),
            (try power() + begun.suffix(1) + [asked(command[522...], 2)] + rest, 4, .partWithoutBeginning(.command)),
        ]
        for (transfers, packet, reason) in parts {
            let file = pcap(transfers, linkType: 220)
            #expect(throws: LogProblem(.packet(packet), reason)) { try imported(file) }
            let log = try imported(file, .skipped)
            #expect(hexes(log) == [Sample.record, Sample.recorded])
            #expect(log.problems == [LogProblem(.packet(packet), reason)])
        }
    }

    @Test func commandsWithoutAnswer() throws {
        for (status, event) in [(UInt8(0x42), APDUTrace.ReaderEvent.cardRemoved), (0x40, .noAnswer)] {
            let transfers =
                try power() + exchange(Sample.select, Sample.selected) + [
                    Transfer(isIn: false, bytes: message(0x6F, try [UInt8](hex: Sample.record))),
                    Transfer(isIn: true, bytes: message(0x80, [], status: status, error: 0xFE)),
                ]
            let events = try imported(pcap(transfers, linkType: 189)).trace.entries.map(\.event)
            #expect(events.suffix(2) == [.unanswered(.readRecord(1, sfi: 1)), .reader(event)])
        }
    }

    @Test func brokenFilesNameThePacket() throws {
        let whole = pcap(
            try power() + exchange(Sample.select, Sample.selected) + exchange(Sample.record, Sample.recorded),
            linkType: 189)
        let cut = Array(whole.dropLast(3))
        let error = #expect(throws: LogProblem.self) { try imported(cut) }
        #expect(error == LogProblem(.packet(6), .brokenCapture(.cutPacket)))
        let log = try imported(cut, .skipped)
        #expect(hexes(log) == [Sample.select, Sample.selected])
        #expect(
            log.problems.map(\.place) == [.packet(6), .packet(5)],
            "the cut packet, and the command that it would have answered")
        #expect(throws: LogProblem(.packet(1), .brokenCapture(.cutPacketHeader))) {
            try imported(Array(whole.prefix(30)))
        }
        #expect(throws: LogProblem(.whole, .noCommands)) { try imported(pcap(try power(), linkType: 1)) }
    }
}

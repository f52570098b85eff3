import Bytes
import EMVKernel
import SmartCard
import Testing

@testable import CardCapture
@testable import CardReaders

@Suite(.serialized) struct MiuraCodecTests {
    /// The command that asks for the device's information, as Bluefin's guide to Miura devices
    /// prints it; the check is the exclusive or of what goes before.
    @Test("A command is encoded as in the published guide") func publishedCommand() throws {
        let packet = try #require(MiuraPacket([0xD0, 0x02, 0x00, 0x00]))
        #expect(packet.bytes == (try [UInt8](hex: "010004 D0020000 D7")))
    }

    @Test(
        "The packets of Miura's own published tests of its library",
        arguments: [
            ("010006 10111213 9000 97", false, false), ("010106 10111213 9000 96", true, false),
            ("014006 10111213 9000 D7", false, true),
            ("014106 10111213 9000 D6", true, true), ("010002 5060 33", false, false), ("020002 5060 30", false, false),
        ]) func publishedPackets(_ text: String, _ isChained: Bool, _ isUnsolicited: Bool) throws
    {
        let bytes = try [UInt8](hex: text)
        let packet = try #require(MiuraPacket(parsing: bytes))
        #expect(packet.isChained == isChained)
        #expect(packet.isUnsolicited == isUnsolicited)
        #expect(packet.bytes == bytes)
        #expect(packet.part == Array(bytes.dropFirst(3).dropLast()))
    }

    @Test(
        "Bytes that are not a packet are refused",
        arguments: [
            "000002 5060 32", "01FF02 5060 CC", "010000 31", "010001 50 50", "0100FF 5060 CE", "010003 5060 32",
            "010006 10111213 9000 00", "", "01", "010002", "010202 5060 31", "030002 5060 31",
        ]) func noPacket(_ text: String) throws
    { #expect(MiuraPacket(parsing: try [UInt8](hex: text)) == nil) }

    @Test("The longest packet has 254 bytes of data") func longestPacket() throws {
        let part = (0..<254).map { UInt8($0) }
        let bytes = try #require(MiuraPacket(part)).bytes
        #expect(bytes.count == 258 && bytes[257] == 0xFE)
        #expect(MiuraPacket([0x01]) == nil)
        #expect(MiuraPacket([UInt8](repeating: 0, count: 255)) == nil)
    }

    @Test("Every length of an APDU comes together again, and no packet has fewer than two bytes") func chaining() throws
    {
        for count in [2, 253, 254, 255, 256, 260, 507, 508, 509, 510, 1000] {
            let apdu = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            let packets = MiuraPacket.packets(apdu)
            #expect(packets.allSatisfy { (2...254).contains($0.part.count) }, "\(count)")
            #expect(packets.map(\.isChained) == Array(repeating: true, count: packets.count - 1) + [false])
            var assembler = MiuraAssembler()
            let messages = try assembler.take(packets.flatMap(\.bytes))
            #expect(messages.count == 1)
            #expect(messages.first.map { $0.body + [UInt8($0.status >> 8), UInt8($0.status & 0xFF)] } == apdu)
        }
    }

    @Test("Unsolicited messages between the packets of an answer, packets of the printer's, and bytes one by one")
    func interleaved() throws {
        let bytes = try [UInt8](hex: "010102 1011 03" + "014002 9000 D3" + "020002 9000 90" + "010004 1213 9000 94")
        var assembler = MiuraAssembler()
        let messages = try bytes.flatMap { try assembler.take([$0]) }
        #expect(messages.map(\.isUnsolicited) == [true, false])
        #expect(messages.map(\.body) == [[], [0x10, 0x11, 0x12, 0x13]])
        #expect(messages.allSatisfy { $0.isSuccess })
    }

    @Test("A chained message without end is bounded") func endlessMessage() throws {
        var assembler = MiuraAssembler()
        let packet = try #require(MiuraPacket(isChained: true, [UInt8](repeating: 0x55, count: 254))).bytes
        var count = 0
        #expect(throws: MiuraAssembler.Failure()) {
            while count < 1000 {
                _ = try assembler.take(packet)
                count += 1
            }
        }
        #expect(count == 65536 / 254)
    }

    @Test("Every single bit inverted is noticed") func everyBitCounts() throws {
        let bytes = try [UInt8](hex: "010006 10111213 9000 97")
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                #expect(MiuraPacket(parsing: changed) == nil, "\(index) \(bit)")
            }
        }
    }

    /// The data objects of START TRANSACTION and START CONTACTLESS TRANSACTION, put together by
    /// hand; 2026-11-21 12:34:56 UTC.
    @Test("START TRANSACTION has the data objects of the request") func startTransaction() throws {
        let request = CaptureRequest(amount: 12_34, currencyCode: 826, sequenceCounter: 1)
        let time = Timestamp(secondsSince1970: 1_795_264_496)
        let common = "9C0100" + "9F0206000000001234" + "9A03261121" + "9F2103123456" + "5F2A020826"
        #expect(
            MiuraCommand.start(request, at: time).bytes.hex == "DED1000027E025" + common + "5F360102" + "DFA2040101")
        #expect(MiuraCommand.startContactless(request, at: time).bytes.hex == "DEC100001EE01C" + common)
    }

    @Test("CONTINUE TRANSACTION has the issuer's answer") func continueTransaction() throws {
        let answer = IssuerAnswer.answered(
            .init(
                responseCode: "00", issuerAuthenticationData: [1, 2, 3, 4, 5, 6, 7, 8],
                scripts: [[0x71, 0x02, 0x86, 0x00], [0x72]]))
        #expect(
            MiuraCommand.proceed(answer).bytes.hex == "DED20000" + "14" + "E012" + "8A023030" + "91080102030405060708"
                + "71028600")
        #expect(MiuraCommand.proceed(.unreachable).bytes.hex == "DED20000" + "06" + "E004" + "8A025A33")
    }

    @Test("each failure status has its message") func failures() {
        #expect(MiuraFailure(status: 0x9F23) == .noCard)
        #expect(MiuraFailure(status: 0x9F41) == .cancelled)
        #expect(MiuraFailure(status: 0x9F25) == .card(nil))
        #expect(MiuraFailure(status: 0x9F28) == .card(Fallback(.emptyCandidateList, entryMode: .stripeAfterChip)))
        #expect(MiuraFailure(status: 0x9F30) == .card(Fallback(.technical, entryMode: .stripeAfterChip)))
        #expect(MiuraFailure(status: 0x6D00) == .other(status: 0x6D00))
        for code in UInt16(0x9F21)...0x9F42 { #expect(!MiuraFailure(status: code).description.isEmpty) }
    }

    @Test func nothingIsPrinted() throws {
        let message = try #require(MiuraMessage(isUnsolicited: false, [0x47, 0x61, 0x90, 0x00]))
        var dumped = ""
        dump(message, to: &dumped)
        dump(try #require(MiuraPacket([0x47, 0x61])), to: &dumped)
        #expect("\(message)" == "message of 2 bytes, 9000")
        #expect(!dumped.contains("71"))
        #expect(!dumped.contains("97"))
    }
}

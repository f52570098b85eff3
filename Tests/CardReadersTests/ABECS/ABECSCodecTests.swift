import Bytes
import ReaderDoubles
import Testing

@testable import CardCapture
@testable import CardReaders

/// The examples of ABECS Pinpad, Communication Protocol and Operation 2.12.
@Suite(.serialized) struct ABECSCodecTests {
    private func decode(_ bytes: [UInt8]) -> [ABECSFrameDecoder.Event] {
        var decoder = ABECSFrameDecoder()
        return bytes.compactMap { decoder.take($0) }
    }

    /// GIX000 was computed with an independent CRC-16/XMODEM.
    @Test(
        "2.2.2.1 and 2.2.2.2; the last two bytes are the published checks",
        arguments: [
            ("4F504E", "164F504E17A8A9"), ("445350303030", "16445350303030173963"),
            ("474958303030", "16474958303030177F4A"),
            (
                "44535030333220202020 4F50455241 C7C34F20202020202020 46494E414C495A414441202020",
                "1644535030333220202020 4F50455241 C7C34F20202020202020 46494E414C495A414441202020 17 5213"
            ),
        ]) func publishedFrames(_ packet: String, _ frame: String) throws
    {
        let (packet, frame) = (try [UInt8](hex: packet), try [UInt8](hex: frame))
        #expect(ABECSFrame.encode(packet) == frame)
        #expect(decode(frame) == [.packet(packet)])
    }

    @Test("The check of the first sending of 2.2.2.1 is wrong; the PIN pad refuses it") func wrongCheck() throws {
        #expect(decode(try [UInt8](hex: "164F504E170000")) == [.damaged])
        #expect(decode(try [UInt8](hex: "1644535030303017FFFF")) == [.damaged])
    }

    @Test("2.2.1: 13, 16 and 17 become 13 33, 13 36 and 13 37; the check is over the originals") func escapes() throws {
        let packet: [UInt8] = [0x41, 0x13, 0x16, 0x17, 0x42]
        let frame = try #require(ABECSFrame.encode(packet))
        #expect(Array(frame.dropLast(2)) == [0x16, 0x41, 0x13, 0x33, 0x13, 0x36, 0x13, 0x37, 0x42, 0x17])
        let check = EmulatedPINPad.crc(packet + [0x17])
        #expect(Array(frame.suffix(2)) == [UInt8(check >> 8), UInt8(check & 0xFF)])
        #expect(decode(frame) == [.packet(packet)])
        #expect(decode([0x16, 0x41, 0x13, 0x34]) == [.damaged])
        #expect(decode([0x16, 0x41, 0x13, 0x13]) == [.damaged])
    }

    @Test func everyByteAndLength() throws {
        for count in [1, 2, 999, 2048, 2049] {
            let packet = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
            let frame = try #require(ABECSFrame.encode(packet))
            #expect(decode(frame) == [.packet(packet)])
        }
        #expect(ABECSFrame.encode([]) == nil)
        #expect(ABECSFrame.encode([UInt8](repeating: 0, count: 2050)) == nil)
        #expect(decode([0x16] + [UInt8](repeating: 0x41, count: 2050)) == [.damaged])
    }

    @Test("Control bytes are recognized outside packets, and are data within") func controlBytes() throws {
        #expect(
            decode([0x06, 0x15, 0x04, 0x18, 0x00, 0xFF, 0x41]) == [
                .control(.ack), .control(.nak), .control(.eot), .control(.can),
            ])
        // Within a packet they are data.
        let frame = try #require(ABECSFrame.encode([0x06, 0x15, 0x04, 0x18]))
        #expect(
            decode([0x06] + frame + [0x04]) == [.control(.ack), .packet([0x06, 0x15, 0x04, 0x18]), .control(.eot)])
        // A packet whose end was lost is forgotten when the next begins.
        #expect(decode([0x16, 0x41, 0x42] + frame) == [.packet([0x06, 0x15, 0x04, 0x18])])
    }

    @Test("3.3.1, CEX") func eventExample() throws {
        let command = ABECSCommand("CEX", [ABECSParameter(.checkedEvents, Array("010000".utf8))])
        #expect(command.bytes == (try [UInt8](hex: "434558303130 00060006 303130303030")))
        let answer = try #require(
            ABECSAnswer(
                [UInt8](
                    hex: "434558303030303334 804000023930 80420018 343331333033323932393833303031313D31353038363031")))
        #expect(answer.status == .ok)
        #expect(answer.id == "CEX")
        let parameters = try #require(answer.parameters)
        #expect(parameters.map(\.id) == [0x8040, 0x8042])
        #expect(parameters[0].value == Array("90".utf8) && parameters[1].value.count == 24)
    }

    @Test("3.3.2, CHP: the answer to reset, SELECT, and a PIN for the card") func chipExamples() throws {
        #expect(ABECSCommand.chip(.powerOn).bytes == Array("CHP00501000".utf8))
        let select = try [UInt8](hex: "00A4040007A0000000041010")
        #expect(ABECSCommand.chip(.exchange(select)).bytes == Array("CHP0290201200A4040007A0000000041010".utf8))
        let answer = try #require(ABECSAnswer(Array("CHP0000270123B29008072A4456400FF0010".utf8)))
        #expect(ABECSChipAnswer(answer)?.bytes == (try [UInt8](hex: "3B29008072A4456400FF0010")))
        let status = try #require(ABECSAnswer(Array("CHP0000070026132".utf8)))
        #expect(ABECSChipAnswer(status)?.bytes == [0x61, 0x32])
        let verify = ABECSChipOperation.verifyPIN(
            header: [0, 0x20, 0, 0], message: ["DIGITE A SENHA", "DO CARTÃO ICC..."])
        let expected = try [UInt8](
            hex:
                "43485030343630333030343030323030303030 31 444947495445204120 53454E4841 2020 444F20434152 54C34F20494343 2E2E2E"
        )
        #expect(ABECSCommand.chip(verify).bytes == expected)
    }

    @Test("3.3.4, DEX, and 3.2.4, GIX with a list of identifiers") func furtherExamples() throws {
        let text = ABECSCommand.display(["Feliz Natal", "e um", "Próspero", "Ano Novo!"]).bytes
        let expected = try [UInt8](
            hex: "44455830333830333546656C697A204E6174616C0D6520756D0D5072F373706572 6F0D416E6F204E6F766F21")
        #expect(text == expected)
        let list = try [UInt8](hex: "8001 8004 8034 9101 910E")
        #expect(
            ABECSCommand("GIX", [ABECSParameter(.idList, list)]).bytes
                == (try [UInt8](hex: "474958303134 0001000A" + list.hex)))
    }

    @Test("3.3.11, GPN; the example's key is another kind, its PAN and the form of the answer are the same")
    func pinExample() throws {
        let pan = SecretBytes("4444333322221111".utf8)
        let command = ABECSCommand.encipheredPIN(
            keyIndex: 8, pan: pan, message: ["R$         34,56", "DIGITE SUA SENHA"])
        let zeros = String(repeating: "0", count: 32)
        #expect(
            command.bytes == Array("GPN093308\(zeros)164444333322221111   10412R$         34,56DIGITE SUA SENHA".utf8))
    }

    @Test("2.3.3: two lines of sixteen characters") func notification() throws {
        let answer = try #require(
            ABECSAnswer(
                [UInt8](hex: "4E544D30303030333252473A20FA6C74696D6F7320322020 2064ED6769746F733A2020202020202020")))
        #expect(answer.notification == ["RG: últimos 2", "dígitos:"])
        #expect(ABECSAnswer(Array("DEX000".utf8))?.notification == nil)
    }

    @Test(
        "Texts that are not an answer are refused",
        arguments: [
            "", "GIX", "GIX00", "GIX0000", "GIX00000", "GIX000005ABCD", "GIX0x0", "gix000", "12300000", "GIX000-01",
            "GIX000001AB",
        ]) func noAnswer(_ text: String)
    { #expect(ABECSAnswer(Array(text.utf8)) == nil) }

    @Test("Lists of parameters are parsed whole or refused") func parameterLists() throws {
        #expect(ABECSParameter.list([])?.isEmpty == true)
        for bytes in ["80", "8001", "800100", "80010001", "800100023031FF", "8001FFFF30"] {
            #expect(ABECSParameter.list(try [UInt8](hex: bytes)) == nil, "\(bytes)")
        }
        #expect(ABECSParameter.list(try [UInt8](hex: "80010000 8002000130"))?.map(\.value) == [[], [0x30]])
    }

    @Test func chipAnswersThatAreNone() {
        for text in ["CHP000", "CHP000003001", "CHP00000500290", "CHP0000070029G00", "CHP000007xxx9000"] {
            #expect(ABECSAnswer(Array(text.utf8)).flatMap { ABECSChipAnswer($0) } == nil, "\(text)")
        }
    }

    @Test("Values that may hold card data print nothing of it") func nothingIsPrinted() throws {
        let answer = try #require(ABECSAnswer(Array("GTK0000047761".utf8)))
        var dumped = ""
        dump(answer, to: &dumped)
        dump(ABECSParameter(.track2, Array("CANARY".utf8)), to: &dumped)
        #expect("\(answer)" == "GTK 0, 1 blocks")
        #expect(!dumped.contains("7761"))
        #expect(!dumped.contains("67"))
    }

    @Test("A damaged frame is never a packet with other bytes: every single bit of a frame inverted")
    func everyBitCounts() throws {
        let packet = Array("CHP0000070026132".utf8)
        let frame = try #require(ABECSFrame.encode(packet))
        for index in frame.indices.dropFirst() {
            for bit in 0..<8 {
                var changed = frame
                changed[index] ^= 1 << bit
                #expect(!decode(changed).contains { if case .packet = $0 { true } else { false } }, "\(index) \(bit)")
            }
        }
    }
}

import Bytes
import Testing

@testable import CardReaders

/// Frames are calculated by the rules of NXP's PN532 user manual (UM0701-02, 6.2.1) and agree with
/// what nfcpy and libnfc send; the manual's own examples are among them (GetFirmwareVersion,
/// acknowledgment).
@Suite("Frames and commands of the PN53x") struct PN53xCodecTests {
    private func decode(_ bytes: [UInt8]) -> [PN53xDecoder.Event] {
        var decoder = PN53xDecoder()
        return bytes.compactMap { decoder.take($0) }
    }

    private func decode(_ text: String) throws -> [PN53xDecoder.Event] { decode(try [UInt8](hex: text)) }

    @Test(
        "commands",
        arguments: [
            (.firmwareVersion, "0000FF02FED4022A00"), (.withoutAutomatics, "0000FF03FDD412001A00"),
            (.withoutSecurityModule, "0000FF05FBD4140100001700"), (.field(isOn: false), "0000FF04FCD4320100F900"),
            (.field(isOn: true), "0000FF04FCD4320101F800"), (.singleTry, "0000FF06FAD43205FF0100F500"),
            (.waitingTime(PN53xWaitingTime(.milliseconds(51))), "0000FF06FAD43202000B0AE300"),
            (.list(.typeA, atMost: 1), "0000FF04FCD44A0100E100"),
            (.list(.typeB, atMost: 1), "0000FF05FBD44A010300DE00"),
            (
                .exchange([0x02, 0x00, 0xA4, 0x04, 0x00, 0x0E] + Array("2PAY.SYS.DDF01".utf8) + [0x00]),
                "0000FF17E9D4420200A404000E325041592E5359532E4444463031008C00"
            ),
            (.release, "0000FF03FDD45200DA00"), (.cardEmulation, "0000FF03FDD41220FA00"),
            (.register(.transmitterControl), "0000FF04FCD4066305BE00"),
            (.setRegister(.transmitterControl, 0x04), "0000FF05FBD408630504B800"),
            (.commandOfTerminal, "0000FF02FED486A600"), (.answerToTerminal([0x90, 0x00]), "0000FF04FCD48E90000E00"),
        ] as [(PN53xCommand, String)])
    func commands(_ command: PN53xCommand, _ frame: String) {
        #expect(PN53xFrame.encode(command.bytes).hex == frame)
        #expect(command.answerCode == command.bytes[0] + 1)
    }

    @Test func framesWithoutData() throws {
        #expect(PN53xFrame.acknowledgment.hex == "0000FF00FF00")
        #expect(PN53xFrame.refusal.hex == "0000FFFF0000")
        #expect(PN53xFrame.wakeUp.hex == "55550000000000000000000000000000")
        #expect(try decode("0000FF00FF00") == [.acknowledged])
        #expect(try decode("0000FF01FF7F8100") == [.syntaxError])
        #expect(try decode("0000FFFF0000") == [.damaged], "chips refuse nothing this way")
    }

    @Test("Answers of the chip are decoded") func answers() throws {
        let version = try decode("0000FF06FAD50332010607E800")
        #expect(version == [.answer([0x03, 0x32, 0x01, 0x06, 0x07])])
        #expect(try decode("0000FF02FED5151600") == [.answer([0x15])])
        #expect(try decode("0000FF05FBD541006A82FE00") == [.answer([0x41, 0x00, 0x6A, 0x82])])
        // An acknowledgment, then the answer, with what a line may have between them.
        #expect(try decode("55AA00 0000FF00FF00 00FFFF 0000FF02FED5151600").last == .answer([0x15]))
    }

    /// 6.2.1.2: FF FF after the start code, then the length in two bytes, and their check sum.
    @Test("Frames of more than 255 bytes", arguments: [254, 255, 264])
    func extendedFrames(_ count: Int) throws {
        let command = [0x42] + [UInt8](repeating: 0x11, count: count - 1)
        let sum = command.reduce(0xD4 as UInt8, &+)
        let data = "D4" + command.hex + [0 &- sum].hex + "00"
        let head =
            switch count {
            case 254: "0000FFFF01"
            case 255: "0000FFFFFF0100FF"
            default: "0000FFFFFF0109F6"
            }
        #expect(PN53xFrame.encode(command).hex == head + data)
    }

    @Test("Answers in extended frames are decoded") func extendedAnswers() {
        let answer = [0xD5, 0x43, 0x00] + [UInt8](repeating: 0x22, count: 254)
        let check = 0 &- answer.reduce(0, &+)
        #expect(
            decode([0, 0, 0xFF, 0xFF, 0xFF, 0x01, 0x01, 0xFE] + answer + [check, 0]) == [
                .answer(Wiped(Array(answer.dropFirst())))
            ])
        #expect(decode([0, 0, 0xFF, 0xFF, 0xFF, 0x01, 0x01, 0xFD]) == [.damaged])
        #expect(decode([0, 0, 0xFF, 0xFF, 0xFF, 0x01, 0x0A, 0xF5]) == [.damaged], "longer than any answer")
        #expect(decode([0, 0, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00]) == [.damaged], "empty")
    }

    @Test("an answer with any one byte changed gives no other data") func damage() throws {
        let frame = try [UInt8](hex: "0000FF06FAD50332010607E800")
        for index in frame.indices {
            for value in UInt8.min...UInt8.max where value != frame[index] {
                var damaged = frame
                damaged[index] = value
                let events = decode(damaged)
                let isPadding = index == 0 || index == frame.count - 1
                #expect(
                    isPadding || !events.contains { if case .answer = $0 { true } else { false } }, "\(index), \(value)"
                )
            }
        }
        #expect(decode(frame.dropLast(2)) == [], "not yet whole")
    }

    @Test func answersOfOthers() throws {
        #expect(try decode("0000FF02FED4022A00") == [.damaged], "the host's own frame")
        #expect(try decode("0000FF01FFD52B00") == [.damaged], "without a code")
    }

    /// 7.3.1: code n stands for 100 µs · 2^(n − 1).
    @Test(
        "times that the chip can wait",
        arguments: [
            (0, 1), (100, 1), (101, 2), (4_833, 7), (51_200, 10), (51_201, 11), (3_276_800, 16), (3_276_801, 0),
        ])
    func waitingTimes(_ microseconds: Int, _ code: UInt8) {
        let time = PN53xWaitingTime(.microseconds(microseconds))
        #expect(time.code == code)
        #expect(time.duration.map { $0 >= .microseconds(microseconds) } ?? (code == 0))
    }

    // MARK: Cards

    private func cards(_ text: String, _ type: PN53xCommand.CardType) throws -> PN53xCards? {
        PN53xCards(parsing: try [UInt8](hex: text), type)
    }

    @Test func cardsOfTypeA() throws {
        let identifier: [UInt8] = [0x08, 0x19, 0x0F, 0x6D]
        let expected = PN53xCards.Card.typeA(
            identifier: identifier, select: 0x20, answerToSelect: [0x05, 0x78, 0x80, 0x70, 0x02])
        #expect(try cards("01010004200408190F6D0578807002", .typeA) == .one(expected))
        #expect(
            try cards("0101000408 04 08190F6D", .typeA)
                == .one(.typeA(identifier: identifier, select: 0x08, answerToSelect: nil)))
        #expect(try cards("00", .typeA) == PN53xCards.none)
        #expect(try cards("02 01 0004200408190F6D 02 0004200408190F6E", .typeA) == .several)
    }

    @Test func cardsOfTypeB() throws {
        let answer = try [UInt8](hex: "500102030400000000808171")
        #expect(
            try cards("0101 500102030400000000808171 01 01", .typeB)
                == .one(.typeB(answerToRequest: answer, attribution: [0x01])))
        #expect(try cards("00", .typeB) == PN53xCards.none)
        #expect(try cards("02 01", .typeB) == .several)
    }

    @Test(
        "what is not an answer of the chip",
        arguments: [
            "", "03", "FF", "01", "0101", "01010004", "010100042004 08190F", "0101000420 04 08190F6D 06 78807002",
            "0101000420 04 08190F6D 04 78807002",
        ])
    func noCardsOfTypeA(_ text: String) throws { #expect(try cards(text, .typeA) == nil) }

    @Test(
        "what is not an answer of the chip for type B",
        arguments: [
            "01", "0101 5001020304000000008081", "0101 500102030400000000808171", "0101 500102030400000000808171 02 01",
            "0101 500102030400000000808171 01 0102",
        ])
    func noCardsOfTypeB(_ text: String) throws { #expect(try cards(text, .typeB) == nil) }
}

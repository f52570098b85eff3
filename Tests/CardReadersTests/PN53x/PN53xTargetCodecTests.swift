import Bytes
import Testing

@testable import CardReaders

/// PN532 user manual UM0701-02, 7.3.14, 7.3.16 and 7.1. The answers are those of real chips in
/// published logs (Seeed-Studio/PN532, issues 88 and 111; Stack Overflow 24777810).
@Suite("Commands and answers of a PN532 as a card") struct PN53xTargetCodecTests {
    @Test("the activation's parameters have the lengths of the manual") func identity() throws {
        let identity = try #require(
            PN53xCardIdentity(identifier: [0x12, 0x34, 0x56], historicalBytes: Array("CPVC1".utf8)))
        // Mode, SENS_RES, NFCID1, SEL_RES; 18 bytes of FeliCa and NFCID3; no general bytes;
        // historical bytes.
        let expected = "8C04" + "0400" + "123456" + "20" + String(repeating: "00", count: 28) + "00" + "054350564331"
        #expect(PN53xCommand.becomeCard(identity).bytes.hex == expected)
        #expect(PN53xCommand.becomeCard(identity).answerCode == 0x8D)
    }

    @Test func identitiesThatCannotBe() {
        #expect(PN53xCardIdentity(identifier: [0x12, 0x34], historicalBytes: []) == nil)
        #expect(PN53xCardIdentity(identifier: [1, 2, 3, 4], historicalBytes: []) == nil)
        #expect(PN53xCardIdentity(identifier: [1, 2, 3], historicalBytes: [UInt8](repeating: 0, count: 48)) == nil)
        #expect(PN53xCardIdentity(identifier: [1, 2, 3], historicalBytes: [UInt8](repeating: 0, count: 47)) != nil)
    }

    @Test(
        "an activation as a card of ISO/IEC 14443-4 is distinguished from others",
        arguments: [("08E080", true), ("00E080", false), ("04D400", false), ("1200B2", false), ("0CE080", false)])
    func activations(_ answer: String, _ isCard: Bool) throws {
        #expect(try PN53xActivation(parsing: [UInt8](hex: answer))?.isCard == isCard)
    }

    @Test("An empty answer is not an activation") func noActivation() { #expect(PN53xActivation(parsing: []) == nil) }

    @Test(
        "data, their announcement, and the ends of a tap",
        arguments: [
            (
                "0000A4040007D276000085010100",
                .part([0x00, 0xA4, 0x04, 0x00, 0x07, 0xD2, 0x76, 0x00, 0x00, 0x85, 0x01, 0x01, 0x00], more: false)
            ),
            ("40AABB", .part([0xAA, 0xBB], more: true)), ("00", .part([], more: false)), ("29", .over(.released)),
            ("A9", .over(.released)), ("2B", .over(.status(0x2B))), ("53AA", .over(.status(0x13))),
            ("8012AA", .over(.nodeAddress)),
        ] as [(String, PN53xTargetData)])
    func data(_ answer: String, _ expected: PN53xTargetData) throws {
        #expect(try PN53xTargetData(parsing: [UInt8](hex: answer)) == expected)
    }

    @Test("An empty answer has no data") func noData() { #expect(PN53xTargetData(parsing: []) == nil) }

    @Test("each status says what it means")
    func meanings() {
        let texts = Dictionary(grouping: UInt8(0x01)...0x3F) { PN53xDeparture(status: $0).map { "\($0)" } ?? "" }
        #expect(texts[""] == nil)
        #expect(texts["the terminal released the card"] == [0x29])
        #expect("\(PN53xDeparture.status(0x0A))" == "the terminal is gone: the field is off (status 0A of the chip)")
        #expect(
            "\(PN53xDeparture.status(0x13))"
                == "the terminal is gone: frames against the protocol (status 13 of the chip)")
        #expect("\(PN53xDeparture.silent(.seconds(60)))" == "the terminal sent nothing for 60 seconds")
    }
}

import Bytes
import SmartCard
import Testing

/// ISO/IEC 7816-3, 8. The answers marked so are those that smartcard-atr.apdu.fr explains byte by
/// byte (pyscard, parseATR.py); the others are made by hand, their check bytes with Python:
/// `functools.reduce(lambda a, c: a ^ c, atr[1:])`.
@Suite struct AnswerToResetTests {
    /// T=1 alone: a bank's Mastercard (published).
    private static let bankCard = "3BE900FF8131FE45434C6169726533203628"
    /// T=0 first, then T=1: an identity card, warm (published).
    private static let identityCard = "3BFE1800008031FE45803180664090A4162A00830F9000EF"
    /// TB1 alone and ten historical bytes: a cash card (xionghuilin.com, "ISO7816-3 / ATR / Baud
    /// Rate / PPS").
    private static let cashCard = "3B2A00806524B0000200829000"

    private func parse(_ hex: String) throws -> AnswerToReset { try AnswerToReset(parsing: [UInt8](hex: hex)) }

    @Test("Published answers to reset are parsed") func publishedAnswers() throws {
        let bank = try parse(Self.bankCard)
        #expect(bank.convention == .direct)
        #expect(bank.protocols == [1])
        #expect(bank.specificProtocol == nil)
        #expect(bank.interfaceBytes.count == 3)
        #expect(
            bank.interfaceBytes[0].ta == nil && bank.interfaceBytes[0].tb == 0x00 && bank.interfaceBytes[0].tc == 0xFF)
        #expect(
            bank.interfaceBytes[2].ta == 0xFE && bank.interfaceBytes[2].tb == 0x45 && bank.interfaceBytes[2].td == nil)
        #expect(bank.historicalBytes == Array("CLaire3 6".utf8))
        let identity = try parse(Self.identityCard)
        #expect(identity.protocols == [0, 1])
        #expect(identity.interfaceBytes[0].ta == 0x18)
        #expect(identity.historicalBytes.hex == "80318066" + "4090A4162A00830F9000")
        let cash = try parse(Self.cashCard)
        #expect(cash.protocols == [0])
        #expect(cash.historicalBytes.hex == "806524B0000200829000")
        #expect(try parse("3F00").convention == .inverse)
    }

    @Test("TA2 names the protocol that the card keeps to; T=15 is not a protocol") func protocols() throws {
        #expect(try parse("3BF0130000910131FE45F9").specificProtocol == 1)
        #expect(try parse("3B80801F0718").protocols == [0])
    }

    @Test(
        "bytes that are not an answer to reset are refused",
        arguments: [
            ("", AnswerToResetError.truncated), ("3B", .truncated), ("0000", .initialCharacter(0x00)),
            ("C000", .initialCharacter(0xC0)),
            ("3B01", .truncated), ("3B10", .truncated), ("3BF0", .truncated), ("3B80", .truncated),
            ("3B8081", .truncated),
            ("3B0000", .excessBytes(1)), ("3B018031", .excessBytes(1)),
            // No check byte where T=1 is named, a wrong one, and one where T=0 is all.
            ("3BE000008131FE45", .truncated), ("3BE000008131FE45EA", .checkByte), ("3B800080", .excessBytes(1)),
            ("3BE000008131FE45EB00", .excessBytes(1)),
            // Interface bytes that announce ever more of them, and too many bytes.
            ("3B" + String(repeating: "80", count: 32), .truncated),
            ("3B" + String(repeating: "F0", count: 32), .truncated),
            (String(repeating: "3B", count: 34), .tooLong(34)),
        ] as [(String, AnswerToResetError)])
    func rubbish(_ hex: String, _ expected: AnswerToResetError) throws {
        let bytes = try [UInt8](hex: hex)
        #expect(throws: expected) { try AnswerToReset(parsing: bytes) }
    }

    /// Every prefix of an answer is none, and neither is one with any bit changed that the check
    /// byte covers.
    @Test func everyPrefixAndEveryFlippedBit() throws {
        for hex in [Self.bankCard, Self.identityCard] {
            let bytes = try [UInt8](hex: hex)
            for count in bytes.indices {
                #expect(throws: AnswerToResetError.self) { try AnswerToReset(parsing: Array(bytes[..<count])) }
            }
            for index in bytes.indices {
                for bit in 0..<8 {
                    var flipped = bytes
                    flipped[index] ^= 1 << UInt8(bit)
                    let isInverseConvention = index == 0 && flipped[0] == 0x3F
                    #expect(
                        (try? AnswerToReset(parsing: flipped)) == nil || isInverseConvention,
                        "byte \(index), bit \(bit)")
                }
            }
        }
    }

    /// Bytes by chance (xorshift64, the same in every run): each is an answer that holds no more
    /// than its bytes do, or an error.
    @Test("Random bytes are an answer within their length, or an error") func randomBytes() {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        func random() -> UInt8 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state >> 32)
        }
        var answers = 0
        for _ in 0..<20_000 {
            let bytes = [0x3B] + (0..<random() % 40).map { _ in random() }
            guard let answer = try? AnswerToReset(parsing: bytes) else { continue }
            answers += 1
            #expect(answer.historicalBytes.count <= 15)
            #expect(!answer.protocols.isEmpty)
            _ = try? answer.emvParameters(after: .cold)
        }
        #expect(answers > 0)
    }

    @Test func errorsSayWhatIsWrong() {
        #expect(AnswerToResetError.initialCharacter(0xC0).description.contains("C0"))
        #expect(AnswerToResetError.interfaceByte(.tb3, 0x55).description.contains("TB3 55"))
        #expect(AnswerToResetError.interfaceByte(.tb1, nil).description.contains("without TB1"))
        #expect(AnswerToResetError.tooLong(40).description.contains("40"))
        #expect(AnswerToResetError.excessBytes(7).description.contains("7"))
        #expect(AnswerToResetError.checkByte.description.contains("check byte"))
        #expect(AnswerToResetError.truncated.description.contains("too early"))
    }
}

/// What EMV takes of an answer to reset (EMV 4.3 Book 1, 8.3.1 to 8.3.4, which the EMV Contact
/// Interface Specification goes on with).
@Suite struct EMVAnswerToResetTests {
    private func parameters(_ hex: String, after reset: AnswerToReset.Reset = .cold) throws -> CardParameters {
        try AnswerToReset(parsing: [UInt8](hex: hex)).emvParameters(after: reset)
    }

    @Test("The basic answers: T=0 is `3B 60 00 00`, T=1 `3B E0 00 00 81 31 TA3 TB3 TCK`") func basicAnswers() throws {
        let zero = try parameters("3B600000")
        #expect(zero.transmissionProtocol == .t0)
        #expect(zero.rate == .initial)
        #expect(zero.extraGuardTime == 0)
        let one = try parameters("3BE000008131FE45EB")
        #expect(one.transmissionProtocol == .t1)
        #expect(one.informationFieldSize == 254)
        #expect(one.characterWaitingInteger == 5)
        #expect(one.blockWaitingInteger == 4)
        #expect(one.extraGuardTime == 0)
    }

    /// 8.3.3.3: TC1 is N, and FF kept as it is: it means 12 units between characters with T=0 and
    /// 11 with T=1. 8.3.3.9: without TA3 a card takes 32 bytes.
    @Test func guardTimeAndDefaults() throws {
        #expect(try parameters("3BE000FF81312045CA").extraGuardTime == 0xFF)
        #expect(try parameters("3B6000FF").extraGuardTime == 0xFF)
        #expect(try parameters("3B60001E").extraGuardTime == 30)
        #expect(try parameters("3BE0000081214505").informationFieldSize == 32)
    }

    @Test("8.3.3.1: TA1 counts with TA2 only, and is then 11, 12 or 13") func bitRates() throws {
        #expect(try parameters("3BF0120000910131FE45F8").rate.adjustment == 2)
        #expect(try parameters("3BF0130000910131FE45F9").rate.adjustment == 4)
        #expect(try parameters("3BF01300008131FE45E8").rate.adjustment == 1)
    }

    @Test(
        "EMV refuses an answer to reset with these interface bytes",
        arguments: [
            // TB1 must be 00 after a cold reset; there is no TB2.
            ("3B00", .tb1, nil), ("3B602500", .tb1, 0x25), ("3BE000002100C1", .tb2, 0x00),
            // TC2 is 0A if it is there.
            ("3BE00000" + "4000", .tc2, 0x00), ("3BE00000" + "400B", .tc2, 0x0B),
            // TD1 names T=0 or T=1, TD2 T=1 or, after T=0, T=14.
            ("3BE0000002E2", .td1, 0x02), ("3BE00000810E6F", .td2, 0x0E),
            // TA2: another protocol than the first, and parameters that are not in the answer; TA1
            // out of range.
            ("3BF0130000910031FE45F8", .ta2, 0x00), ("3BF0130000911131FE45E9", .ta2, 0x11),
            ("3BF0140000910131FE45FE", .ta1, 0x14),
            // TA3 of 00 to 0F or FF, TB3 missing, BWI over 4, CWI over 5 or too little for the
            // guard time, TC3 with a CRC.
            ("3BE0000081310F451A", .ta3, 0x0F), ("3BE000008131FF45EA", .ta3, 0xFF), ("3BE000008111FE8E", .tb3, nil),
            ("3BE000008131FE55FB", .tb3, 0x55), ("3BE000008131FE46E8", .tb3, 0x46), ("3BE000038131FE42EF", .tb3, 0x42),
            ("3BE000008171FE4501AA", .tc3, 0x01),
        ] as [(String, AnswerToResetError.InterfaceByte, UInt8?)])
    func refused(_ hex: String, _ byte: AnswerToResetError.InterfaceByte, _ value: UInt8?) throws {
        let answer = try AnswerToReset(parsing: [UInt8](hex: hex))
        #expect(throws: AnswerToResetError.interfaceByte(byte, value)) { try answer.emvParameters(after: .cold) }
    }

    @Test("EMV accepts an answer to reset with these interface bytes") func taken() throws {
        // CWI 2 or less conflicts with three units more, 3 does not; T=0 before T=1 or T=14; TC3
        // 00; TC2 0A.
        #expect(try parameters("3BE000038131FE43EE").characterWaitingInteger == 3)
        #expect(try parameters("3BE000008031FE45EA").transmissionProtocol == .t0)
        #expect(try parameters("3BE00000800E6E").transmissionProtocol == .t0)
        #expect(try parameters("3BE000008171FE4500AB").transmissionProtocol == .t1)
        #expect(try parameters("3BE00000" + "400A").transmissionProtocol == .t0)
    }

    @Test("8.3.3.2: after a warm reset TB1 may have any value or be missing") func warmReset() throws {
        #expect(try parameters("3B602500", after: .warm).transmissionProtocol == .t0)
        #expect(try parameters("3B00", after: .warm).transmissionProtocol == .t0)
    }

    @Test("EMV's answers have at most 32 bytes (8.1), ISO's 33") func longestAnswer() throws {
        let interface = "110000F0" + "000000F0" + "000000F0" + "00000000"
        let answer = try AnswerToReset(parsing: [UInt8](hex: "3BFF" + interface + String(repeating: "AA", count: 15)))
        #expect(throws: AnswerToResetError.tooLong(33)) { try answer.emvParameters(after: .warm) }
    }
}

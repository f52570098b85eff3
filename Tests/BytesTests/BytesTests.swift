import Bytes
import Testing

@Suite("Hexadecimal text") struct HexTests {
    @Test func readsDigitsOfEitherCaseAndSkipsWhiteSpace() throws {
        #expect(try [UInt8](hex: "00 9f\n26 Ff") == [0x00, 0x9F, 0x26, 0xFF])
        #expect(try [UInt8](hex: "") == [])
    }

    @Test func namesThePlaceOfABadDigit() {
        #expect(throws: HexError.notADigit(character: "G", offset: 3)) { try [UInt8](hex: "9F G1") }
        #expect(throws: HexError.oddNumberOfDigits(3)) { try [UInt8](hex: "9F1") }
        #expect(
            HexError.notADigit(character: "G", offset: 3).description
                == "\"G\" at position 4 is not a hexadecimal digit")
        #expect(
            HexError.notADigit(character: "\u{1B}", offset: 0).description
                == "a control character at position 1 is not a hexadecimal digit")
    }

    @Test func readsPairsOfDigitsAndNothingElse() {
        let digits = Array("00 9f26FfaB0123456789ABCDEFabcdef".utf8.filter { $0 != 0x20 })
        #expect(
            [UInt8](hexDigits: digits.span)
                == [0x00, 0x9F, 0x26, 0xFF, 0xAB, 0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xAB, 0xCD, 0xEF])
        let odd = Array("9F1".utf8)
        #expect([UInt8](hexDigits: odd.span) == nil)
        for letter in UInt8.min...UInt8.max {
            let isDigit = Unicode.Scalar(letter).isASCII && Character(Unicode.Scalar(letter)).isHexDigit
            for text in [[0x30, letter], [letter, 0x30]] {
                #expect(([UInt8](hexDigits: text.span) != nil) == isDigit, "letter \(letter)")
            }
        }
    }

    @Test func writesUpperCase() {
        #expect([0x0A, 0xBC, 0xFF].hex == "0ABCFF")
        #expect(UInt16(0x9F02).hex == "9F02")
        #expect(UInt8(7).hex == "07")
    }
}

@Suite struct BCDTests {
    /// EMV 4.4 Book 3, 4.3: amount 12345 in a field n 12 is hexadecimal 00 00 00 01 23 45.
    @Test func amountIsRightJustified() {
        #expect(BCD.encode(12345, count: 6) == [0, 0, 0, 0x01, 0x23, 0x45])
        #expect(BCD.number([0, 0, 0, 0x01, 0x23, 0x45]) == 12345)
    }

    /// EMV 4.4 Book 3, 4.3: 1234567890123 in a field cn 19 starts 12 34 56 78 90 12 3F.
    @Test func panIsLeftJustifiedAndPadded() {
        #expect(BCD.encode(digits: "1234567890123".utf8) == [0x12, 0x34, 0x56, 0x78, 0x90, 0x12, 0x3F])
        #expect(
            BCD.digits([0x12, 0x34, 0x56, 0x78, 0x90, 0x12, 0x3F, 0xFF, 0xFF, 0xFF]) == Array("1234567890123".utf8))
    }

    @Test func refusesWhatIsNoDecimal() {
        #expect(BCD.number([0x1A]) == nil)
        #expect(BCD.digits([0x12, 0xF3]) == nil)
        #expect(BCD.encode(100, count: 1) == nil)
        #expect(BCD.number([UInt8](repeating: 0x99, count: 10)) == nil, "20 nines pass 64 bits")
        #expect(BCD.encode(digits: "12x".utf8) == nil)
    }

    @Test(
        "Digits are counted up to their padding; other nibbles, and padding before a digit, are not digits",
        arguments: [
            ([] as [UInt8], 0 as Int?), ([0x12, 0x34], 4), ([0x12, 0x3F], 3), ([0x12, 0xFF, 0xFF], 2), ([0xFF], 0),
            ([0xF1], nil),
            ([0x1F, 0x23], nil), ([0x1A], nil), ([0xA1], nil),
        ])
    func digitsAreCounted(_ bytes: [UInt8], _ count: Int?) {
        let counted = BCD.digitCount(bytes.span)
        #expect(counted == count)
        #expect(BCD.digits(bytes)?.count == count)
    }

    @Test func leadingDigitsAreCompared() {
        let number: [UInt8] = [0x47, 0x61, 0x3F]
        let compared = [([0x47, 0x6F] as [UInt8], 3), ([0x47, 0x7F], 3), ([0x47, 0x7F], 2)].map { other, count in
            BCD.haveSameDigits(number.span, other.span, count: count)
        }
        #expect(compared == [true, false, true])
    }

    @Test(arguments: [(0x00 as UInt8, 0 as Int?), (0x99, 99), (0x27, 27), (0x2A, nil), (0xA2, nil)])
    func numbersOfOneByte(_ byte: UInt8, _ number: Int?) { #expect(BCD.number(byte) == number) }
}

@Suite struct SecretBytesTests {
    private let canary = SecretBytes(Array("CANARY".utf8))

    @Test func nothingPrintsThem() {
        var dumped = ""
        dump(canary, to: &dumped)
        for text in ["\(canary)", String(describing: canary), String(reflecting: canary), "\([canary])", dumped] {
            #expect(!text.contains("CANARY"))
            #expect(!text.contains("67"), "the first byte in decimal")
            #expect(text.contains("6 secret bytes"))
        }
    }

    @Test func comparesByContent() {
        #expect(canary == SecretBytes(Array("CANARY".utf8)))
        #expect(canary != SecretBytes(Array("CANARZ".utf8)))
        #expect(canary != SecretBytes(Array("CANAR".utf8)))
        #expect(SecretBytes([]) == SecretBytes([]))
    }

    @Test func takesBytesOverAndEmptiesTheSource() {
        var source: [UInt8] = [1, 2, 3]
        let secret = SecretBytes(wiping: &source)
        #expect(source.isEmpty)
        #expect(secret.withBytes { $0.count == 3 && $0[2] == 3 })
    }

    @Test("As plain arrays do, also where elements move", arguments: [0, 1, 7, 8, 100]) func growingAndShrinking(
        _ count: Int
    ) {
        var (bytes, plain): ([UInt8], [UInt8]) = ([], [])
        for part in 0..<10 {
            var more = (0..<count).map { UInt8(truncatingIfNeeded: part + $0) }
            plain += more
            bytes.append(wiping: &more)
            #expect(bytes == plain)
            #expect(more.isEmpty)
        }
        bytes.removeFirst(wiping: count)
        #expect(bytes == Array(plain.dropFirst(count)))
        bytes.removeFirst(wiping: 10 * count + 1)
        #expect(bytes.isEmpty)
    }
}

import Bytes
import CardCryptography
import Testing

@Suite struct PINBlockTests {
    private let pin: PIN
    private let pan: AccountNumber

    init() throws {
        pin = try #require(PIN(ascii: "1234".utf8))
        pan = try #require(AccountNumber(ascii: "4012345678909".utf8))
    }

    @Test("Format 0 of ANSI X9.24-1:2009, A.4; format 2 of EMV 4.4 Book 3, table 25") func fixedFormats() throws {
        #expect(try PINBlock.format0(pan).encode(pin).exposed.hex == "041274EDCBA9876F")
        #expect(try PINBlock.format2.encode(pin).exposed.hex == "241234FFFFFFFFFF")
        #expect(
            try PINBlock.format2.encode(#require(PIN(ascii: "123456789012".utf8))).exposed.hex == "2C123456789012FF")
    }

    @Test("Formats 1 and 3 are filled at random") func randomFormats() throws {
        let one = try PINBlock.format1.encode(pin).exposed
        #expect(one.prefix(3).hex == "141234")
        #expect(try PINBlock.format1.encode(pin).exposed != one)
        let three = try PINBlock.format3(pan).encode(pin).exposed
        // 34 1234 … ⊕ 0000 4012 3456 7890 leaves the first two bytes and 34 ⊕ 40.
        #expect(three.prefix(3).hex == "341274")
        let fill = zip(three.dropFirst(3), [0x12, 0x34, 0x56, 0x78, 0x90]).map { $0 ^ UInt8($1) }
        #expect(fill.allSatisfy { $0 >> 4 >= 10 && $0 & 0x0F >= 10 })
    }

    @Test(arguments: ["1234", "12345", "123456789", "123456789012"]) func everyFormatDecodesWhatItEncodes(
        _ digits: String
    ) throws {
        let pin = try #require(PIN(ascii: digits.utf8))
        for format in [PINBlock.format0(pan), .format1, .format2, .format3(pan)] {
            #expect(try format.decode(format.encode(pin)) == pin)
        }
    }

    @Test(arguments: [
        "", "24", "241234FFFFFFFF", "241234FFFFFFFFFFFF", "341234FFFFFFFFFF", "231234FFFFFFFFFF", "2D12345678901234",
        "2F1234FFFFFFFFFF", "24123AFFFFFFFFFF", "241234FFFFFFFFF0", "0000000000000000", "FFFFFFFFFFFFFFFF",
    ])
    func refusesWhatIsNoBlock(_ block: String) {
        #expect(throws: PINBlockError.self) { try PINBlock.format2.decode(secret(block)) }
    }

    @Test func anotherAccountIsNoticed() throws {
        let block = try PINBlock.format0(pan).encode(pin)
        let other = try #require(AccountNumber(ascii: "4999999999999".utf8))
        #expect(throws: PINBlockError.malformed) { try PINBlock.format0(other).decode(block) }
        let short = try #require(AccountNumber(ascii: "401234567890".utf8))
        #expect(throws: PINBlockError.accountNumberTooShort(count: 12)) { try PINBlock.format0(short).encode(pin) }
    }

    @Test func pinsAndAccountNumbersAreDigitsOfTheRightNumber() throws {
        for wrong in ["", "123", "1234567890123", "12a4", "12 4"] { #expect(PIN(ascii: wrong.utf8) == nil) }
        for wrong in ["", "12345678901234567890", "40123x"] { #expect(AccountNumber(ascii: wrong.utf8) == nil) }
        #expect(AccountNumber(cn: [0x40, 0x12, 0x34, 0x56, 0x78, 0x90, 0x9F, 0xFF]) == pan)
        for wrong in [[], [0xFF], [0x4F, 0x12], [0x4A], .init(repeating: 0x11, count: 10)] as [[UInt8]] {
            #expect(AccountNumber(cn: wrong) == nil)
        }
    }

    @Test func nothingPrintsThem() {
        for text in ["\(pin)", String(reflecting: pin), "\(pan)", String(reflecting: PINBlock.format0(pan))] {
            #expect(!text.contains("1234"))
            #expect(!text.contains("1, 2, 3"))
        }
    }
}

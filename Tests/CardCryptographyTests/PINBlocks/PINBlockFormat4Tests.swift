import Bytes
import Testing

@testable import CardCryptography

@Suite struct PINBlockFormat4Tests {
    private let key: AESKey

    init() throws {
        key = try AESKey(secret("00112233445566778899AABBCCDDEEFF"))
    }

    /// Python `cryptography`: AES(AES(PIN field) ⊕ PAN field), the fields written out by hand from
    /// ISO 9564-1:2017, 9.4.2: 44 1234 AA… ‖ random and 4 4111111111111111 0…; 4C 123456789012 AA
    /// and 7 1234567890123456789 0…; 0 000123456789 0….
    @Test(
        "Blocks of format 4 are those that an independent library computes",
        arguments: [
            ("1234", "4111111111111111", "2F69ADDE2E9E7ACE", "261BB4FCB189B3C17A55AE1648E0A2FD"),
            ("123456789012", "1234567890123456789", "0011223344556677", "8A7B0D59757F6442A9C84FB1D84E2044"),
            ("1234", "123456789", "0011223344556677", "D16A6E0A057154DB2B92155FC353AB88"),
        ])
    func knownBlocks(_ digits: String, number: String, random: String, expected: String) throws {
        let (pin, pan) = (try #require(PIN(ascii: digits.utf8)), try #require(AccountNumber(ascii: number.utf8)))
        let block = try PINBlockFormat4.encipher(pin, pan: pan, key: key, random: #require(UInt64(random, radix: 16)))
        #expect(block.hex == expected)
        #expect(try PINBlockFormat4.decipher(block, pan: pan, key: key) == pin)
    }

    @Test func blocksOfOnePINDiffer() throws {
        let (pin, pan) = (
            try #require(PIN(ascii: "1234".utf8)), try #require(AccountNumber(ascii: "4111111111111111".utf8))
        )
        #expect(PINBlockFormat4.encipher(pin, pan: pan, key: key) != PINBlockFormat4.encipher(pin, pan: pan, key: key))
    }

    @Test func refusesWhatIsNoBlock() throws {
        let pan = try #require(AccountNumber(ascii: "4111111111111111".utf8))
        for count in [0, 8, 15, 17, 32] {
            #expect(throws: PINBlockError.length(count: count, expected: 16)) {
                try PINBlockFormat4.decipher([UInt8](repeating: 0, count: count), pan: pan, key: key)
            }
        }
        #expect(throws: PINBlockError.malformed) {
            try PINBlockFormat4.decipher([UInt8](repeating: 0, count: 16), pan: pan, key: key)
        }
        let pin = try #require(PIN(ascii: "1234".utf8))
        let other = try #require(AccountNumber(ascii: "4111111111111112".utf8))
        let block = PINBlockFormat4.encipher(pin, pan: pan, key: key)
        #expect(throws: PINBlockError.malformed) { try PINBlockFormat4.decipher(block, pan: other, key: key) }
    }
}

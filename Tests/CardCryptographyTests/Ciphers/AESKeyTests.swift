import Bytes
import CardCryptography
import Testing

@Suite struct AESKeyTests {
    private let plaintext: [UInt8] = (0..<16).map { UInt8($0 * 0x11) }

    /// FIPS 197, appendix C: the plaintext 00112233…EEFF under keys 000102….
    @Test(arguments: [
        (16, "69C4E0D86A7B0430D8CDB78070B4C55A"), (24, "DDA97CA4864CDFE06EAF70A0EC0D7191"),
        (32, "8EA2B7CA516745BFEAFC49904B496089"),
    ])
    func ecbOfTheStandard(_ count: Int, _ ciphertext: String) throws {
        let key = try AESKey(SecretBytes((0..<UInt8(count)).map { $0 }))
        #expect(try key.encryptECB(plaintext).hex == ciphertext)
        #expect(try key.decryptECB(hex(ciphertext)) == plaintext)
    }

    /// NIST SP 800-38A, F.2.1, first two blocks.
    @Test func cbcOfTheStandard() throws {
        let key = try AESKey(secret("2B7E151628AED2A6ABF7158809CF4F3C"))
        let iv: [UInt8] = (0..<16).map { UInt8($0) }
        let text = try hex("6BC1BEE22E409F96E93D7E117393172AAE2D8A571E03AC9C9EB76FAC45AF8E51")
        let ciphertext = try hex("7649ABAC8119B246CEE98E9B12E9197D5086CB9B507219EE95DB113A917678B2")
        #expect(try key.encryptCBC(text, iv: iv) == ciphertext)
        #expect(try key.decryptCBC(ciphertext, iv: iv) == text)
    }

    /// NIST SP 800-38B, appendix D.1 and D.3: empty and one-block messages.
    @Test func cmacOfTheStandard() throws {
        let short = try AESKey(secret("2B7E151628AED2A6ABF7158809CF4F3C"))
        let long = try AESKey(secret("603DEB1015CA71BE2B73AEF0857D77811F352C073B6108D72D9810A30914DFF4"))
        let message = try hex("6BC1BEE22E409F96E93D7E117393172A")
        #expect(short.cmac([]).hex == "BB1D6929E95937287FA37D129B756746")
        #expect(short.cmac(message).hex == "070A16B46B4D4144F79BDD9DD04A287C")
        #expect(long.cmac([]).hex == "028962F61B7BF89EFC6B551F4667D983")
        #expect(long.cmac(message).hex == "28A7023F452E8F82BD4BF28D8C37C35C")
    }

    @Test(
        "CMAC over a zero block with Python `cryptography`, cut to 3 bytes (ANSI X9.24-1:2017, annex C)",
        arguments: [
            ("000102030405060708090A0B0C0D0E0F", "BE7ED6"),
            ("000102030405060708090A0B0C0D0E0F1011121314151617", "D4FFB8"),
            ("000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F", "377822"),
        ])
    func checkValue(_ key: String, _ expected: String) throws {
        #expect(try AESKey(secret(key)).checkValue.hex == expected)
    }

    @Test(arguments: [0, 8, 15, 17, 33]) func refusesOtherKeyLengths(_ count: Int) {
        #expect(throws: CipherError.keyLength(count)) { try AESKey(SecretBytes([UInt8](repeating: 1, count: count))) }
    }

    @Test func refusesPartOfABlock() throws {
        let key = try AESKey(SecretBytes([UInt8](repeating: 1, count: 16)))
        #expect(throws: CipherError.notWholeBlocks(count: 8, blockSize: 16)) {
            try key.decryptECB([UInt8](repeating: 0, count: 8))
        }
        #expect(throws: CipherError.initializationVector(count: 8, blockSize: 16)) {
            try key.encryptCBC(plaintext, iv: [UInt8](repeating: 0, count: 8))
        }
    }
}

import Bytes
import CardCryptography
import Testing

@Suite struct TDESKeyTests {
    /// NIST SP 800-67 revision 1, B.1: the three-key example, ECB.
    @Test func threeKeysOfTheStandard() throws {
        let key = try TDESKey(secret("0123456789ABCDEF23456789ABCDEF01456789ABCDEF0123"))
        let plaintext = Array("The qufck brown fox jump".utf8)
        let ciphertext = try hex("A826FD8CE53B855FCCE21C8112256FE668D5C05DD9B6B900")
        #expect(try key.encryptECB(plaintext) == ciphertext)
        #expect(try key.decryptECB(ciphertext) == plaintext)
    }

    /// FIPS 81, table B1 and C1: single DES in ECB and CBC.
    @Test func oneKeyIsSingleDES() throws {
        let key = try TDESKey(secret("0123456789ABCDEF"))
        let plaintext = Array("Now is the time for all ".utf8)
        #expect(try key.encryptECB(plaintext).hex == "3FA40E8A984D48156A271787AB8883F9893D51EC4B563B53")
        let iv = try hex("1234567890ABCDEF")
        let ciphertext = try hex("E5C7CDDE872BF27C43E934008C389C0F683788499A7C05F6")
        #expect(try key.encryptCBC(plaintext, iv: iv) == ciphertext)
        #expect(try key.decryptCBC(ciphertext, iv: iv) == plaintext)
    }

    @Test func twoKeysAreUsedAsFirstSecondFirst() throws {
        let two = try TDESKey(secret("0123456789ABCDEFFEDCBA9876543210"))
        let three = try TDESKey(secret("0123456789ABCDEFFEDCBA98765432100123456789ABCDEF"))
        let block: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        #expect(try two.encryptECB(block) == three.encryptECB(block))
        #expect(try two.encryptECB(try two.decryptECB(block)) == block)
    }

    /// Check values 08D7B4 (0123…3210) and D5D44F (single key 0123456789ABCDEF), as `openssl enc
    /// -des-ede3-ecb` gives for a zero block.
    @Test("The check value is the first three bytes of an enciphered zero block") func checkValue() throws {
        #expect(try TDESKey(secret("0123456789ABCDEFFEDCBA9876543210")).checkValue.hex == "08D7B4")
        #expect(try TDESKey(secret("0123456789ABCDEF")).checkValue.hex == "D5D44F")
    }

    /// Python `cryptography`: CBC under the first key, then decipher by the second and encipher by
    /// the first.
    @Test(arguments: [
        ("", BlockPadding.method2, "F1FBCF2A56D19BA7"), ("", .zeros, "08D7B4FB629D0885"),
        ("4012345678909D987", .zeros, "2BF54205792892A6"),
        ("4012345678909D987", .method2, "7FEC91FFCC7D4EB7"), ("exactly 16 bytes", .zeros, "0F3266C9D68EE4AF"),
        ("exactly 16 bytes", .method2, "A1068756005FF922"),
    ])
    func retailMAC(_ text: String, _ padding: BlockPadding, _ expected: String) throws {
        let key = try TDESKey(secret("0123456789ABCDEFFEDCBA9876543210"))
        #expect(key.retailMAC(Array(text.utf8), padding: padding).hex == expected)
    }

    @Test(arguments: [0, 1, 7, 9, 15, 17, 23, 25, 32]) func refusesOtherKeyLengths(_ count: Int) {
        #expect(throws: CipherError.keyLength(count)) { try TDESKey(SecretBytes([UInt8](repeating: 1, count: count))) }
    }

    @Test func refusesPartOfABlock() throws {
        let key = try TDESKey(secret("0123456789ABCDEF"))
        #expect(throws: CipherError.notWholeBlocks(count: 7, blockSize: 8)) {
            try key.encryptECB([UInt8](repeating: 0, count: 7))
        }
        #expect(throws: CipherError.notWholeBlocks(count: 9, blockSize: 8)) {
            try key.decryptCBC(.init(repeating: 0, count: 9), iv: .init(repeating: 0, count: 8))
        }
        #expect(throws: CipherError.initializationVector(count: 0, blockSize: 8)) { try key.encryptCBC([], iv: []) }
        #expect(try key.encryptECB([]) == [])
    }
}

import Bytes
import CardCryptography
import ProcessMemory
import Testing

/// Searches memory for a key of AES. A key schedule begins with the key itself (FIPS 197, 5.2), so
/// that a context that keeps one is found.
@Suite("After its last use a key is in no memory", .serialized) struct KeyResidueTests {
    private let digits = SecretDigits(count: 16)

    private func key() throws -> AESKey { try digits.fill(digits.placeholder) { try AESKey(SecretBytes($0)) } }

    @Test("blocks, chained blocks and MACs") func ciphers() throws {
        let data = [UInt8](repeating: 0x5A, count: 32)
        do {
            let key = try key()
            #expect(digits.copies() > 0, "a key in use is found")
            #expect(try key.decryptECB(key.encryptECB(data)) == data)
            #expect(
                try key.decryptCBC(key.encryptCBC(data, iv: Array(data.prefix(16))), iv: Array(data.prefix(16))) == data
            )
            #expect(key.cmac(data + [1]).count == 16)
        }
        #expect(digits.copies() == 0)
    }

    @Test("derivations, PIN blocks and key blocks") func algorithms() throws {
        let pin = try #require(PIN(ascii: "1234".utf8))
        let pan = try #require(AccountNumber(ascii: "4012888888881881".utf8))
        let serialNumber = try #require(
            AESKeySerialNumber(initialKeyID: [UInt8](repeating: 1, count: 8), counter: 0x0301))
        let header = KeyBlockHeader(
            version: .derivationAES, usage: "P0", algorithm: "A", modeOfUse: "E", exportability: "E")
        do {
            let key = try key()
            let initialKey = try AESDUKPT.initialKey(baseDerivationKey: key, serialNumber: serialNumber)
            #expect(
                try AESDUKPT.workingKey(.pinEncryption, type: .aes128, initialKey: key, serialNumber: serialNumber)
                    .count == 16)
            #expect(
                try CardKey.aes(key).commonSessionKey(diversifier: [UInt8](repeating: 2, count: 16)).bytes.count == 16)
            #expect(
                try PINBlockFormat4.decipher(PINBlockFormat4.encipher(pin, pan: pan, key: key), pan: pan, key: key)
                    == pin)
            let block = try KeyBlock.wrap(key.bytes, header: header, under: .aes(initialKey))
            #expect(try KeyBlock.unwrap(block, under: .aes(initialKey)).key == key.bytes)
            #expect(
                try KeyBlock.unwrap(KeyBlock.wrap(initialKey.bytes, header: header, under: .aes(key)), under: .aes(key))
                    .header == header)
        }
        #expect(digits.copies() == 0)
    }
}

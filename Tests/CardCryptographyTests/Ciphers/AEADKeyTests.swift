import Bytes
import CardCryptography
import Testing

@Suite struct AEADKeyTests {
    private let key = AEADKey.generate()
    private let secretText = SecretBytes(Array("4111111111111111".utf8))
    private let name = Array("record 7".utf8)

    /// The GCM specification's test case 14 (McGrew and Viega, appendix B): zero key, nonce and one
    /// zero block.
    @Test func opensWhatTheStandardSeals() throws {
        let key = try AEADKey(SecretBytes([UInt8](repeating: 0, count: 32)))
        let sealed = try hex(
            "000000000000000000000000 CEA7403D4D606B6E074EC5D3BAF39D18 D0D1C8A799996BF0265B98B5D48AB919")
        #expect(try key.open(sealed).exposed == [UInt8](repeating: 0, count: 16))
    }

    @Test func opensWhatItSealed() throws {
        let sealed = key.seal(secretText, authenticating: name)
        #expect(sealed.count == 12 + 16 + 16)
        #expect(try key.open(sealed, authenticating: name) == secretText)
        #expect(try key.open(key.seal(SecretBytes([]))).isEmpty)
    }

    @Test("Two seals of the same text differ") func noncesDiffer() {
        #expect(key.seal(secretText) != key.seal(secretText))
    }

    @Test func anyChangedBitIsNoticed() {
        let sealed = key.seal(secretText, authenticating: name)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: CipherError.authentication) { try key.open(changed, authenticating: name) }
        }
        #expect(throws: CipherError.authentication) { try key.open(sealed, authenticating: Array("record 8".utf8)) }
        #expect(throws: CipherError.authentication) { try AEADKey.generate().open(sealed, authenticating: name) }
    }

    @Test(arguments: [0, 1, 12, 27]) func shortInputIsNoCiphertext(_ count: Int) {
        #expect(throws: CipherError.authentication) { try key.open([UInt8](repeating: 0, count: count)) }
    }
}

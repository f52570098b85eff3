import Bytes
import CardCryptography
import Testing

/// dCVV. No vector is published with the values in between; those here are computed with openssl:
/// DES of the first half, the second half combined with it, triple DES, digits before letters.
@Suite("dCVV") struct DynamicVerificationValueTests {
    @Test(
        "As openssl computes it",
        arguments: [
            ("1375FB0ECD3E26E089B640543137F189", "4761739001010010", "2012", 1, "040"),
            ("1375FB0ECD3E26E089B640543137F189", "4761739001010010", "2012", 2, "729"),
            ("1375FB0ECD3E26E089B640543137F189", "4761739001010010", "2012", 59, "624"),
            // Only four digits of the counter have room.
            ("1375FB0ECD3E26E089B640543137F189", "4761739001010010", "2012", 12_345, "779"),
            ("0123456789ABCDEFFEDCBA9876543210", "4111111111111111", "3012", 65_535, "053"),
            ("0123456789ABCDEFFEDCBA9876543210", "4000000000000000006", "3012", 7, "214"),
        ] as [(String, String, String, UInt16, String)])
    func openssl(key: String, pan: String, expiry: String, counter: UInt16, code: String) throws {
        let computed = try DynamicVerificationValue.compute(
            pan: #require(AccountNumber(ascii: pan.utf8)), expiry: Array(expiry.utf8), counter: counter,
            key: CardKey(SecretBytes([UInt8](hex: key)), .tdes))
        #expect(String(decoding: computed, as: UTF8.self) == code)
    }

    @Test("Another cipher, or an expiry of another length, is refused") func refused() throws {
        let pan = try #require(AccountNumber(ascii: "4111111111111111".utf8))
        let key = SecretBytes([UInt8](repeating: 1, count: 16))
        #expect(throws: CryptogramError.cipher) {
            try DynamicVerificationValue.compute(
                pan: pan, expiry: Array("3012".utf8), counter: 1, key: CardKey(key, .aes))
        }
        #expect(throws: CryptogramError.self) {
            try DynamicVerificationValue.compute(
                pan: pan, expiry: Array("301231".utf8), counter: 1, key: CardKey(key, .tdes))
        }
    }
}

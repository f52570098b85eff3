import Bytes
import CardCryptography
import Testing

/// The example of pyemv 1.5.0's `ac` module: one session key, the cryptogram over 0123456789ABCDEF
/// twice, both methods.
@Suite struct AuthorisationResponseCryptogramTests {
    private let arqc: [UInt8] = [0xFA, 0x62, 0x42, 0x50, 0xB0, 0x08, 0xB5, 0x9A]
    private let key: CardKey

    init() throws {
        key = try CardKey(secret("29B33180E567CE38EA4CBC9D753B0E61"), .tdes)
    }

    @Test("Methods 1 and 2 give the ARPC of the vectors") func bothMethods() throws {
        #expect(try ApplicationCryptogram.compute(hex("0123456789ABCDEF0123456789ABCDEF"), sessionKey: key) == arqc)
        let first = try AuthorisationResponseCryptogram.method1(arqc: arqc, responseCode: [0, 0], key: key)
        #expect(first.hex == "45D4255EEF10C920")
        let second = try AuthorisationResponseCryptogram.method2(arqc: arqc, cardStatusUpdate: [0, 0, 0, 0], key: key)
        #expect(second.hex == "CB56FA40")
        #expect(AuthorisationResponseCryptogram.isValid(second, expected: second))
        #expect(!AuthorisationResponseCryptogram.isValid(Array(second.dropLast()), expected: second))
        #expect(
            try AuthorisationResponseCryptogram.method2(
                arqc: arqc, cardStatusUpdate: [0, 0, 0, 0], proprietaryData: hex("1122334455667788"), key: key
            ).hex == "6278F614")
        #expect(
            IssuerAuthenticationData.method1(arpc: first, responseCode: [0x30, 0x30]).bytes.hex
                == "45D4255EEF10C9203030")
    }

    /// Python `cryptography`: TDES of FA62 ⊕ 3030 ‖ 4250B008B59A.
    @Test func method1CombinesTheResponseCode() throws {
        #expect(
            try AuthorisationResponseCryptogram.method1(arqc: arqc, responseCode: [0x30, 0x30], key: key).hex
                == "BEDB1CB65A69B7BE")
    }

    /// EMV 4.4 Book 2, 8.1.2 and 8.2 with Python `cryptography`: AES of FA62 ⊕ 3030 ‖ 4250B008B59A
    /// ‖ 00 × 8, and CMACs.
    @Test func withAES() throws {
        let key = try CardKey(secret("000102030405060708090A0B0C0D0E0F"), .aes)
        #expect(
            try AuthorisationResponseCryptogram.method1(arqc: arqc, responseCode: [0x30, 0x30], key: key).hex
                == "FE8AC8A21737ACEE")
        #expect(
            try AuthorisationResponseCryptogram.method2(arqc: arqc, cardStatusUpdate: [0, 0x82, 0, 0], key: key).hex
                == "26123B45")
        #expect(
            try ApplicationCryptogram.compute(hex("0123456789ABCDEF0123456789ABCDEF"), sessionKey: key).hex
                == "853102C9383E4153")
        #expect(try ApplicationCryptogram.compute(hex("0123456789ABCDEF01"), sessionKey: key).hex == "29B62ADA780A5247")
    }

    @Test func refusesOtherLengths() {
        #expect(throws: CryptogramError.fieldLength(count: 0, expected: 8)) {
            try AuthorisationResponseCryptogram.method1(arqc: [], responseCode: [0, 0], key: key)
        }
        #expect(throws: CryptogramError.fieldLength(count: 3, expected: 2)) {
            try AuthorisationResponseCryptogram.method1(arqc: arqc, responseCode: [0, 0, 0], key: key)
        }
        #expect(throws: CryptogramError.proprietaryDataLength(9)) {
            try AuthorisationResponseCryptogram.method2(
                arqc: arqc, cardStatusUpdate: [0, 0, 0, 0], proprietaryData: [UInt8](repeating: 0, count: 9), key: key)
        }
    }
}

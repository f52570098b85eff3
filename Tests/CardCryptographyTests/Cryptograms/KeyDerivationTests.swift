import Bytes
import CardCryptography
import Testing

@Suite struct KeyDerivationTests {
    private let issuerMasterKey: CardKey

    init() throws {
        issuerMasterKey = try CardKey(secret("0123456789ABCDEFFEDCBA9876543210"), .tdes)
    }

    private func masterKey(_ option: MasterKeyDerivation, _ pan: String, _ sequenceNumber: UInt8?) throws -> CardKey {
        try option.cardMasterKey(
            from: issuerMasterKey, pan: #require(AccountNumber(ascii: pan.utf8)), panSequenceNumber: sequenceNumber)
    }

    /// EMV 4.4 Book 2, A1.4.1, A1.3.1 and A1.2.1 done with Python `cryptography`: check values 1DA5
    /// of the card master key and 0995 of the session key, then the cryptogram over
    /// 0123456789ABCDEF twice.
    @Test func commonSessionKey() throws {
        let card = try masterKey(.optionA, "9901234567890123", 0x45)
        #expect(card.checkValue.prefix(2).hex == "1DA5")
        let session = try card.commonSessionKey(diversifier: hex("1234567890123456"))
        #expect(session.checkValue.prefix(2).hex == "0995")
        #expect(
            try ApplicationCryptogram.compute(hex("0123456789ABCDEF0123456789ABCDEF"), sessionKey: session).hex
                == "4B46013359B7A58B")
    }

    /// The examples in the documentation of pyemv 1.5.0 (`kd.derive_icc_mk_a`,
    /// `kd.derive_icc_mk_b`) and values computed with it.
    @Test(arguments: [
        (MasterKeyDerivation.optionA, "12345678901234567", 0x01, "73AD54688CEF2934B0979857E3C719F1"),
        (.optionB, "12345678901234567", 0x01, "AD406D7F6D7570916D75E5DCAB8CF737"),
        (.optionA, "1234567", 0x01, "67762343ECCD2F1CDCA8C81A3454ECBF"),
        (.optionB, "1234567", 0x01, "67762343ECCD2F1CDCA8C81A3454ECBF"),
        (.optionB, "1234567890123456789", 0x01, "BA382F7FDA3D38FD1CE531348C9EEC25"),
        (.optionB, "123456789012345678", 0x45, "079E8F6D5EB38058AD08F7D33EBAC7FB"),
        // Its SHA-1 has 13 decimal digits only.
        (.optionB, "1234567890123456810", 0x01, "A702FBCEECF10219C1DA51464046FB9B"),
    ])
    func cardMasterKey(_ option: MasterKeyDerivation, pan: String, sequenceNumber: UInt8, expected: String) throws {
        #expect(try masterKey(option, pan, sequenceNumber).bytes.exposed.hex == expected)
    }

    @Test func absentSequenceNumberIsZero() throws {
        #expect(try masterKey(.optionA, "9901234567890123", nil) == masterKey(.optionA, "9901234567890123", 0))
    }

    /// EMV 4.4 Book 2, A1.3.1 with R = ATC ‖ 00 × 6: pyemv 1.5.0 `kd.derive_common_sk`, which sets
    /// the parity bits that the book leaves alone.
    @Test func sessionKeyOfATransaction() throws {
        let card = try CardKey(secret("73AD54688CEF2934B0979857E3C719F1"), .tdes)
        let common = try SessionKeyDerivation.common.sessionKey(from: card, atc: 0x001C, unpredictableNumber: [])
        let expected = try TDESKey(secret("0E5E20CE8961E58658806DD3917FCD73"))
        #expect(common.checkValue == expected.checkValue)
        #expect(common.mac([1]) == expected.retailMAC([1]))
        #expect(try SessionKeyDerivation.none.sessionKey(from: card, atc: 0x001C, unpredictableNumber: []) == card)
        #expect(throws: CryptogramError.fieldLength(count: 3, expected: 4)) {
            try SessionKeyDerivation.mastercard.sessionKey(from: card, atc: 1, unpredictableNumber: [1, 2, 3])
        }
        #expect(throws: CryptogramError.fieldLength(count: 0, expected: 8)) {
            try card.commonSessionKey(diversifier: [])
        }
    }

    /// EMV 4.4 Book 2, A1.4.3 and A1.3.1 done with Python `cryptography` for keys of 128, 192 and
    /// 256 bits, PAN 9901234567890123, sequence number 45, R = 1234567890123456 ‖ 00 × 8.
    @Test(arguments: [
        (16, "B3351ADC95AB62D5141958EBEC2E7017", "E2E40B032DB4D9BA4AA93AB996A4B667"),
        (24, "F79C75CF13A196B72F4795B0FC349A581066704A8AB580F3", "653C2209314BF91947BAF4C329D4E04D4C114EDD4D54F058"),
        (
            32, "292F09AC1E8C931E120F951CA4322A3497961A880BDA62E784D0D204F6452EC1",
            "01070724EEA075C7CF31B81F7BEB2B42CB0B9F5E97CF9FBA1632E8775FAED6DB"
        ),
    ])
    func keysOfAES(_ length: Int, _ master: String, _ session: String) throws {
        let bytes = try hex("0123456789ABCDEFFEDCBA9876543210FEDCBA98765432100123456789ABCDEF").prefix(length)
        let card = try MasterKeyDerivation.optionC.cardMasterKey(
            from: CardKey(SecretBytes(bytes), .aes), pan: #require(AccountNumber(ascii: "9901234567890123".utf8)),
            panSequenceNumber: 0x45)
        #expect(card.cipher == .aes)
        #expect(card.bytes.exposed.hex == master)
        #expect(
            try card.commonSessionKey(diversifier: hex("12345678901234560000000000000000")).bytes.exposed.hex == session
        )
    }

    /// A step of a worked UnionPay example (blog.csdn.net/freud_lv/article/details/24518351): card
    /// key and counter to session key.
    @Test func unionPaySessionKey() throws {
        let card = try CardKey(secret("B8A15DA5F7043C317D9FD8F8DFE2BD75"), .tdes)
        let session = try SessionKeyDerivation.unionPay.sessionKey(from: card, atc: 0x03D3, unpredictableNumber: [])
        #expect(session.bytes.exposed.hex == "4A43440B2D932ACDC4E2776ED562EE43")
    }

    /// A1.4: options A and B are for triple DES only, C for AES only.
    @Test func refusesTheOtherCipher() throws {
        let aes = try CardKey(secret("0123456789ABCDEFFEDCBA9876543210"), .aes)
        let pan = try #require(AccountNumber(ascii: "9901234567890123".utf8))
        for (option, key) in [(MasterKeyDerivation.optionA, aes), (.optionB, aes), (.optionC, issuerMasterKey)] {
            #expect(throws: CryptogramError.cipher) {
                try option.cardMasterKey(from: key, pan: pan, panSequenceNumber: nil)
            }
        }
        for derivation in [SessionKeyDerivation.mastercard, .unionPay] {
            #expect(throws: CryptogramError.cipher) {
                try derivation.sessionKey(from: aes, atc: 1, unpredictableNumber: [1, 2, 3, 4])
            }
        }
    }
}

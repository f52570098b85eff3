import Bytes
import CardCryptography
import Testing

@Suite struct KeyDerivationTests {
    private let issuerMasterKey: TDESKey

    init() throws {
        issuerMasterKey = try TDESKey(secret("0123456789ABCDEFFEDCBA9876543210"))
    }

    private func masterKey(_ option: MasterKeyDerivation, _ pan: String, _ sequenceNumber: UInt8?) throws -> TDESKey {
        try option.cardMasterKey(
            from: issuerMasterKey, pan: #require(AccountNumber(ascii: pan.utf8)), panSequenceNumber: sequenceNumber)
    }

    /// EMV 4.4 Book 2, A1.4.1, A1.3.1 and A1.2.1 done with Python `cryptography`: check values 1DA5 of the card master key and
    /// 0995 of the session key, then the cryptogram over 0123456789ABCDEF twice.
    @Test func commonSessionKey() throws {
        let card = try masterKey(.optionA, "9901234567890123", 0x45)
        #expect(card.checkValue.prefix(2).hex == "1DA5")
        let session = try card.commonSessionKey(diversifier: hex("1234567890123456"))
        #expect(session.checkValue.prefix(2).hex == "0995")
        #expect(try ApplicationCryptogram.compute(hex("0123456789ABCDEF0123456789ABCDEF"), sessionKey: session).hex == "4B46013359B7A58B")
    }

    /// The examples in the documentation of pyemv 1.5.0 (`kd.derive_icc_mk_a`, `kd.derive_icc_mk_b`) and values computed with it.
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
    func cardMasterKey(_ option: MasterKeyDerivation, _ pan: String, _ sequenceNumber: UInt8, _ expected: String) throws {
        #expect(try masterKey(option, pan, sequenceNumber).bytes.exposed.hex == expected)
    }

    @Test func absentSequenceNumberIsZero() throws {
        #expect(try masterKey(.optionA, "9901234567890123", nil) == masterKey(.optionA, "9901234567890123", 0))
    }

    /// EMV 4.4 Book 2, A1.3.1 with R = ATC ‖ 00 × 6: pyemv 1.5.0 `kd.derive_common_sk`, which sets the parity bits that
    /// the book leaves alone.
    @Test func sessionKeyOfATransaction() throws {
        let card = try TDESKey(secret("73AD54688CEF2934B0979857E3C719F1"))
        let common = try SessionKeyDerivation.common.sessionKey(from: card, atc: 0x001C, unpredictableNumber: [])
        let expected = try TDESKey(secret("0E5E20CE8961E58658806DD3917FCD73"))
        #expect(try common.encryptECB([1, 2, 3, 4, 5, 6, 7, 8]) == expected.encryptECB([1, 2, 3, 4, 5, 6, 7, 8]))
        #expect(try SessionKeyDerivation.none.sessionKey(from: card, atc: 0x001C, unpredictableNumber: []) == card)
        #expect(throws: CryptogramError.fieldLength(count: 3, expected: 4)) {
            try SessionKeyDerivation.mastercard.sessionKey(from: card, atc: 1, unpredictableNumber: [1, 2, 3])
        }
        #expect(throws: CryptogramError.fieldLength(count: 0, expected: 8)) { try card.commonSessionKey(diversifier: []) }
    }
}

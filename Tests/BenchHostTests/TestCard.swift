import Bytes
import CardCapture
import CardCryptography
import PaymentTerminal
import TLV

/// A chip card that makes real ARQCs, put together here by hand (EMV 4.4 Book 2, 8.1).
struct TestCard {
    /// Published Visa EMV test number.
    static let pan = "4761739001010010"

    static var issuerKey: CardKey {
        get throws { try CardKey(SecretBytes([UInt8](hex: "2315208C9110AD402315208C9110AD40")), .tdes) }
    }

    static var issuerKeys: MasterKeySet {
        get throws {
            MasterKeySet(applicationCryptogram: try issuerKey, integrity: try issuerKey, confidentiality: try issuerKey)
        }
    }

    var amount = "000000001000"
    var type: UInt8 = 0x80

    func sessionKey(atc: UInt16) throws -> CardKey {
        let masterKey = try MasterKeyDerivation.optionA.cardMasterKey(
            from: try Self.issuerKey, pan: AccountNumber(ascii: Self.pan.utf8)!, panSequenceNumber: 1)
        return try SessionKeyDerivation.common.sessionKey(from: masterKey, atc: atc, unpredictableNumber: [])
    }

    /// The card with an ARQC over 9F02, 9F03, 9F1A, 95, 5F2A, 9A, 9C, 9F37, 82, 9F36 and the whole
    /// 9F10.
    func captured(atc: UInt16, pin: EncipheredPINBlock? = nil) throws -> CapturedCard {
        let counter = [UInt8(atc >> 8), UInt8(atc & 0xFF)]
        let input = try [UInt8](
            hex: amount + "000000000000" + "0056" + "8000048000" + "0978" + "260309" + "00" + "DEADBEEF" + "3C00"
                + counter.hex
                + "06011203A00000")
        var elements = DataElements()
        elements[.amountAuthorised] = try [UInt8](hex: amount)
        elements[.amountOther] = [0, 0, 0, 0, 0, 0]
        elements[.terminalCountryCode] = [0x00, 0x56]
        elements[.terminalVerificationResults] = [0x80, 0, 0x04, 0x80, 0]
        elements[.transactionCurrencyCode] = [0x09, 0x78]
        elements[.transactionDate] = [0x26, 0x03, 0x09]
        elements[.transactionType] = [0]
        elements[.unpredictableNumber] = [0xDE, 0xAD, 0xBE, 0xEF]
        elements[.applicationInterchangeProfile] = [0x3C, 0x00]
        elements[.applicationTransactionCounter] = counter
        elements[.issuerApplicationData] = try [UInt8](hex: "06011203A00000")
        elements[.cryptogramInformationData] = [type]
        elements[.applicationCryptogram] = ApplicationCryptogram.compute(input, sessionKey: try sessionKey(atc: atc))
        elements[.panSequenceNumber] = [1]
        return CapturedCard(
            entryMode: .chip, pan: SecretBytes(Self.pan.utf8), expiry: "3112", panSequenceNumber: 1,
            cardholderName: "NAMECANARY/X",
            track2: SecretBytes("4761739001010010=31122010000012300000".utf8), chip: ChipData(elements: elements),
            pin: pin)
    }
}

/// A PIN pad of the bench's base derivation key, the test key of ANSI X9.24-1:2009, annex A.4.
enum TestPINPad {
    static var baseDerivationKey: TDESKey {
        get throws { try TDESKey(SecretBytes([UInt8](hex: "0123456789ABCDEFFEDCBA9876543210"))) }
    }

    static func block(_ pin: String) throws -> EncipheredPINBlock {
        let ksn = try [UInt8](hex: "FFFF9876543210E00001")
        let transactionKey = try TDESDUKPT.transactionKey(
            baseDerivationKey: baseDerivationKey, serialNumber: KeySerialNumber(ksn)!)
        let clear = try PINBlock.format0(AccountNumber(ascii: TestCard.pan.utf8)!).encode(PIN(ascii: pin.utf8)!)
        let block = try TDESDUKPT.key(for: .pinEncryption, transactionKey: transactionKey).encryptECB(clear.revealed())
        return EncipheredPINBlock(format: .iso0, block: block, ksn: ksn)
    }
}

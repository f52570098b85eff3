import Bytes
import CardCryptography
import Testing

/// `Vectors/ansi-x9.24/dukpt-tdes.json`.
private struct DUKPTVectors: Decodable {
    struct Row: Decodable {
        let ksn, key, encryptedPINBlock, macRequest, macResponse: String
    }

    let bdk, initialKSN, initialKey, pan, pin, clearPINBlockFormat0, macInput: String
    let rows: [Row]
}

@Suite struct TDESDUKPTTests {
    private let vector: DUKPTVectors

    init() throws {
        vector = try vectors("ansi-x9.24/dukpt-tdes.json")
    }

    @Test("The initial key is the one of the vectors") func initialKey() throws {
        let serialNumber = try #require(KeySerialNumber(hex(vector.initialKSN)))
        let key = try TDESDUKPT.initialKey(baseDerivationKey: TDESKey(secret(vector.bdk)), serialNumber: serialNumber)
        #expect(key.bytes.exposed.hex == vector.initialKey)
    }

    @Test func everyRowOfTheStandard() throws {
        #expect(vector.rows.count == 34)
        let bdk = try TDESKey(secret(vector.bdk))
        let pan = try #require(AccountNumber(ascii: vector.pan.utf8))
        let pinBlock = try PINBlock.format0(pan).encode(#require(PIN(ascii: vector.pin.utf8)))
        #expect(pinBlock.exposed.hex == vector.clearPINBlockFormat0)
        for row in vector.rows {
            let serialNumber = try #require(KeySerialNumber(hex(row.ksn)))
            let key = try TDESDUKPT.transactionKey(baseDerivationKey: bdk, serialNumber: serialNumber)
            #expect(key.bytes.exposed.hex == row.key)
            let pinKey = try TDESDUKPT.key(for: .pinEncryption, transactionKey: key)
            #expect(try pinKey.encryptECB(pinBlock.exposed).hex == row.encryptedPINBlock)
            for (usage, expected) in [(TDESDUKPT.Usage.macRequest, row.macRequest), (.macResponse, row.macResponse)] {
                let macKey = try TDESDUKPT.key(for: usage, transactionKey: key)
                #expect(macKey.retailMAC(Array(vector.macInput.utf8), padding: .zeros).prefix(4).hex == expected)
            }
        }
    }

    @Test("The rows follow each other as the device counts, but for the one gap after counter 15 (hexadecimal)")
    func nextSerialNumber()
        throws
    {
        let numbers = try vector.rows.map { try #require(KeySerialNumber(hex($0.ksn))) }
        #expect(try KeySerialNumber(hex(vector.initialKSN))?.next == numbers[0])
        for (one, following) in zip(numbers, numbers.dropFirst()) where one.counter != 0x15 {
            #expect(one.next == following)
        }
        let last = try #require(KeySerialNumber(hex("FFFF9876543210FFF800")))
        #expect(last.counter.nonzeroBitCount == 10)
        #expect(last.next == nil)
    }

    @Test func shortSerialNumberIsFilledOnTheLeft() throws {
        #expect(try KeySerialNumber(hex("9876543210E00001"))?.bytes.hex == "FFFF9876543210E00001")
        for count in [0, 1, 7, 9, 11] { #expect(KeySerialNumber([UInt8](repeating: 0, count: count)) == nil) }
    }

    /// Python `cryptography`: the variant of table A-1, enciphered under itself in ECB (ANSI
    /// X9.24-1:2009, A.4.1).
    @Test func dataKeysAreOneWayFromTheTransactionKey() throws {
        let key = try TDESKey(secret("042666B49184CFA368DE9628D0397BC9"))
        #expect(
            try TDESDUKPT.key(for: .dataRequest, transactionKey: key).bytes.exposed.hex
                == "448D3F076D8304036A55A3D7E0055A78")
        #expect(
            try TDESDUKPT.key(for: .dataResponse, transactionKey: key).bytes.exposed.hex
                == "AD7BFC8B06AD3A08A560B4105CF8D9E5")
    }

    @Test(arguments: [8, 24]) func refusesKeysThatAreNotDoubleLength(_ count: Int) throws {
        let key = try TDESKey(SecretBytes([UInt8](repeating: 1, count: count)))
        let serialNumber = try #require(KeySerialNumber(hex(vector.initialKSN)))
        #expect(throws: CipherError.keyLength(count)) {
            try TDESDUKPT.transactionKey(baseDerivationKey: key, serialNumber: serialNumber)
        }
        #expect(throws: CipherError.keyLength(count)) { try TDESDUKPT.key(for: .pinEncryption, transactionKey: key) }
        #expect(throws: CipherError.keyLength(count)) {
            try TDESDUKPT.transactionKey(initialKey: key, serialNumber: serialNumber)
        }
    }
}

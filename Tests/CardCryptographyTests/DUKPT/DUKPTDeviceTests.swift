import Bytes
import CardCryptography
import Testing

/// `Vectors/ansi-x9.24/dukpt-tdes.json`, as far as a device needs it.
private struct TripleDESVectors: Decodable {
    struct Row: Decodable {
        let ksn, key: String
    }

    let bdk, initialKSN, initialKey: String
    let rows: [Row]
}

/// The device against the host: the same keys although it never has the one that the host derives
/// them from.
@Suite struct DUKPTDeviceTests {
    private let vector: TripleDESVectors

    init() throws {
        vector = try vectors("ansi-x9.24/dukpt-tdes.json")
    }

    /// Every row of ANSI X9.24-1:2009, annex A.4: a device counts up to counter 15 (hexadecimal),
    /// another goes on where the rows do, from FF600, the last value in use before FF800.
    @Test(arguments: [("E00000", 0..<21), ("EFF600", 21..<34)]) func keysOfTheStandard(
        _ start: String, _ rows: Range<Int>
    ) throws {
        let number = try #require(KeySerialNumber(hex("FFFF9876543210" + start)))
        var device = try TDESDUKPTDevice(initialKey: TDESKey(secret(vector.initialKey)), serialNumber: number)
        for row in vector.rows[rows] {
            let key = device.nextTransactionKey()
            #expect(device.serialNumber.bytes.hex == row.ksn)
            #expect(key?.bytes.exposed.hex == row.key)
        }
    }

    /// Walks over every kind of step: from the first, over the largest fall of ones, to the last.
    @Test(arguments: [("E00000", 3000), ("E003FF", 40), ("E5FFFE", 1), ("EFFBFE", 60), ("FFF000", 60), ("FFF400", 200)])
    func tripleDESWalk(_ start: String, _ steps: Int) throws {
        let bdk = try TDESKey(secret(vector.bdk))
        let number = try #require(KeySerialNumber(hex("FFFF9876543210" + start)))
        var device = try TDESDUKPTDevice(
            initialKey: TDESDUKPT.initialKey(baseDerivationKey: bdk, serialNumber: number), serialNumber: number)
        var expected = number
        for _ in 1...steps {
            let key = device.nextTransactionKey()
            guard let next = expected.next else {
                #expect(key == nil)
                return
            }
            expected = next
            #expect(device.serialNumber == expected)
            #expect(try key == TDESDUKPT.transactionKey(baseDerivationKey: bdk, serialNumber: expected))
        }
    }

    /// At its end the device gives nothing, and stays where it was (A.3).
    @Test func tripleDESEnd() throws {
        let last = try #require(KeySerialNumber(hex("FFFF9876543210FFF800")))
        var device = try TDESDUKPTDevice(initialKey: TDESKey(secret(vector.initialKey)), serialNumber: last)
        for _ in 1...2 {
            let key = device.nextTransactionKey()
            #expect(key == nil)
        }
        #expect(device.serialNumber == last)
    }

    @Test func refusesKeysOfOtherLengths() throws {
        let number = try #require(KeySerialNumber(hex(vector.initialKSN)))
        #expect(throws: CipherError.keyLength(8)) {
            try TDESDUKPTDevice(initialKey: TDESKey(secret("0123456789ABCDEF")), serialNumber: number)
        }
    }

    @Test(
        "The same for AES (X9.24-3:2017, 6.3.2), with initial keys of every length", arguments: [16, 24, 32],
        [(0, 600), (0xFFF0, 40), (0x0001_FFFD, 20), (0xFFFE_7FF0, 60), (0xFFFE_8000, 3)] as [(UInt32, Int)])
    func aesWalk(_ length: Int, _ walk: (start: UInt32, steps: Int)) throws {
        let half = try hex("FEDCBA9876543210F1F1F1F1F1F1F1F1")
        let number = try #require(AESKeySerialNumber(initialKeyID: hex("1234567890123456"), counter: walk.start))
        let initialKey = try AESDUKPT.initialKey(
            baseDerivationKey: AESKey(SecretBytes((half + half).prefix(length))), serialNumber: number)
        var device = try AESDUKPTDevice(initialKey: initialKey, serialNumber: number)
        var expected = number
        for _ in 1...walk.steps {
            let made = try device.nextTransaction()
            guard let next = expected.next else {
                #expect(made == nil)
                return
            }
            expected = next
            let transaction = try #require(made)
            #expect(transaction.serialNumber == expected)
            #expect(device.serialNumber == expected)
            #expect(
                try transaction.workingKey(.pinEncryption, type: .aes128)
                    == AESDUKPT.workingKey(
                        .pinEncryption, type: .aes128, initialKey: initialKey, serialNumber: expected))
        }
    }

    @Test("An AES device ends with its last counter") func aesEnd() throws {
        let last = try #require(AESKeySerialNumber(initialKeyID: hex("1234567890123456"), counter: 0xFFFF_0000))
        let key = try AESKey(secret("1273671EA26AC29AFA4D1084127652A1"))
        var device = try AESDUKPTDevice(initialKey: key, serialNumber: last)
        for _ in 1...2 {
            let transaction = try device.nextTransaction()
            #expect(transaction == nil)
        }
        #expect(device.serialNumber == last)
    }

    /// Published keys of the supplement to X9.24-3:2017 out of the device: counters 1, 2 and 3 of
    /// AES-128.
    @Test func aesKeysOfTheSupplement() throws {
        let number = try #require(AESKeySerialNumber(initialKeyID: hex("1234567890123456"), counter: 0))
        var device = try AESDUKPTDevice(
            initialKey: AESKey(secret("1273671EA26AC29AFA4D1084127652A1")), serialNumber: number)
        for expected in [
            "AF8CB133A78F8DC2D1359F18527593FB", "D30BDC73EC9714B000BEC66BDB7B6D09", "7D69F01F3B45449F62C7816ECE723268",
        ] {
            let made = try device.nextTransaction()
            let transaction = try #require(made)
            #expect(try transaction.workingKey(.pinEncryption, type: .aes128).exposed.hex == expected)
        }
    }
}

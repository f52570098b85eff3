import Bytes
import CardCryptography
import Testing

/// `Vectors/ansi-x9.24/dukpt-aes.json`.
private struct AESDUKPTVectors: Decodable {
    struct Row: Decodable {
        let bdk, initialKey, derivationKey: String
        let counter: UInt32
        let workingKeys: [String: [String: String]]
    }

    let initialKeyID: String
    let rows: [Row]
}

/// Expected keys: supplement to ANSI X9.24-3:2017, test vectors: base derivation keys
/// FEDCBA9876543210 F1F1F1F1F1F1F1F1 (twice for AES-256), initial key ID 1234567890123456.
@Suite struct AESDUKPTTests {
    private let key128: AESKey
    private let key256: AESKey

    init() throws {
        let half = "FEDCBA9876543210F1F1F1F1F1F1F1F1"
        key128 = try AESKey(secret(half))
        key256 = try AESKey(secret(half + half))
    }

    private func serialNumber(_ counter: UInt32) throws -> AESKeySerialNumber {
        try #require(AESKeySerialNumber(initialKeyID: hex("1234567890123456"), counter: counter))
    }

    @Test("Initial keys of each length are those of the vectors") func initialKeys() throws {
        let number = try serialNumber(1)
        #expect(
            try AESDUKPT.initialKey(baseDerivationKey: key128, serialNumber: number).bytes.revealed().hex
                == "1273671EA26AC29AFA4D1084127652A1")
        #expect(
            try AESDUKPT.initialKey(baseDerivationKey: key256, serialNumber: number).bytes.revealed().hex
                == "CE9CE0C101D1138F97FB6CAD4DF045A7083D4EAE2D35A31789D01CCF0949550F")
    }

    @Test(arguments: [
        (1 as UInt32, "4F21B565BAD9835E112B6465635EAE44", "AF8CB133A78F8DC2D1359F18527593FB"),
        (2, "2F34D68DE10F68D38091A73B9E7C437C", "D30BDC73EC9714B000BEC66BDB7B6D09"),
        (3, "031504E530365CF81264238540518318", "7D69F01F3B45449F62C7816ECE723268"),
        (8, "718EE6CF0B27E53D5F7AF99C4D8146A2", "4D9DF3FBEE3448FC3E676D04320A90F5"),
    ])
    func keysOfAES128(counter: UInt32, derivation: String, pin: String) throws {
        let number = try serialNumber(counter)
        let initial = try AESDUKPT.initialKey(baseDerivationKey: key128, serialNumber: number)
        #expect(
            try AESDUKPT.derivationKey(initialKey: initial, serialNumber: number).bytes.revealed().hex == derivation)
        #expect(
            try AESDUKPT.workingKey(.pinEncryption, type: .aes128, initialKey: initial, serialNumber: number).revealed()
                .hex == pin)
    }

    @Test(arguments: [
        (AESDUKPT.Usage.macGeneration, "A2DC23DE6FDE0824A2BC321E08E4B8B7"),
        (.macVerification, "DBB463945B286C07CD3AD82EE96FD9C9"),
        (.macBothWays, "85675439D18D7F1158BD8E3EAA3D502B"),
        (.dataEncryption, "A35C412EFD41FDB98B69797C02DCD08F"),
        (.dataDecryption, "16292C6EA8F64C5420A0584BFBC577BE"),
        (.dataBothWays, "A308E080DD15A1B741F1721BF67DE11C"),
        (.keyEncryption, "36A724B7BEFA5A25F5E7B5782A4554A2"),
    ])
    func usagesOfAES128(usage: AESDUKPT.Usage, expected: String) throws {
        let number = try serialNumber(1)
        let initial = try AESDUKPT.initialKey(baseDerivationKey: key128, serialNumber: number)
        #expect(
            try AESDUKPT.workingKey(usage, type: .aes128, initialKey: initial, serialNumber: number).revealed().hex
                == expected)
    }

    @Test func keysOfAES256() throws {
        let number = try serialNumber(1)
        let initial = try AESDUKPT.initialKey(baseDerivationKey: key256, serialNumber: number)
        #expect(
            try AESDUKPT.derivationKey(initialKey: initial, serialNumber: number).bytes.revealed().hex
                == "54AC2B32B145EA4A554CB8BC44B17467063A799856B1CCC2A138D36E8DBF78B3")
        #expect(
            try AESDUKPT.workingKey(.pinEncryption, type: .aes256, initialKey: initial, serialNumber: number).revealed()
                .hex
                == "8C1AB7BEE973829E30242E0BBBDD4946D540C98FC1B5BDCF94790001A23FD502")
    }

    @Test("The counter of all ones belongs to the key update, whose key encryption key the vectors give")
    func updateKey() throws {
        let number = try serialNumber(0xFFFF_FFFF)
        let initial = try AESDUKPT.initialKey(baseDerivationKey: key128, serialNumber: number)
        #expect(
            try AESDUKPT.derivationKey(initialKey: initial, serialNumber: number).bytes.revealed().hex
                == "36C6EBBCC0536FC91C1D50660D4F82AE"
        )
        #expect(
            try AESDUKPT.workingKey(.keyEncryption, type: .aes128, initialKey: initial, serialNumber: number).revealed()
                .hex
                == "9A9770AEE1ACD1B13473D0463A1883B9")
    }

    /// The supplement's PIN block: PIN 1234, PAN 4111111111111111, random 2F69ADDE2E9E7ACE, under
    /// the PIN key of counter 1.
    @Test func pinBlockOfTheSupplementOpens() throws {
        let number = try serialNumber(1)
        let initial = try AESDUKPT.initialKey(baseDerivationKey: key128, serialNumber: number)
        let key = try AESKey(
            AESDUKPT.workingKey(.pinEncryption, type: .aes128, initialKey: initial, serialNumber: number))
        let pan = try #require(AccountNumber(ascii: "4111111111111111".utf8))
        let block = try hex("A912150391AB65A67E52883D81CE2D15")
        #expect(try PINBlockFormat4.decipher(block, pan: pan, key: key) == PIN(ascii: "1234".utf8))
    }

    /// Every usage and type under initial keys of every length, from a computation of their own;
    /// its source stands in the vector.
    @Test func everyUsageAndType() throws {
        let vector: AESDUKPTVectors = try vectors("ansi-x9.24/dukpt-aes.json")
        #expect(vector.rows.count == 12)
        for row in vector.rows {
            let number = try #require(AESKeySerialNumber(initialKeyID: hex(vector.initialKeyID), counter: row.counter))
            let initial = try AESDUKPT.initialKey(baseDerivationKey: AESKey(secret(row.bdk)), serialNumber: number)
            #expect(initial.bytes.exposed.hex == row.initialKey)
            #expect(
                try AESDUKPT.derivationKey(initialKey: initial, serialNumber: number).bytes.exposed.hex
                    == row.derivationKey)
            for type in AESDUKPT.KeyType.allCases {
                guard let keys = row.workingKeys["\(type)"] else {
                    #expect(type.keyCount * 2 > row.bdk.count, "a key stronger than the base derivation key")
                    continue
                }
                for usage in AESDUKPT.Usage.allCases {
                    let key = try AESDUKPT.workingKey(usage, type: type, initialKey: initial, serialNumber: number)
                    #expect(key.exposed.hex == keys["\(usage)"], "\(usage) \(type) \(row.counter)")
                }
            }
        }
    }

    /// X9.24-3, 6.3.2: counters have at most sixteen bits set, so the one after 0000FFFF is
    /// 00010000 and 0001FFFE is followed by 00020000.
    @Test func countersSkipValuesWithManyBits() throws {
        #expect(try serialNumber(0).next?.counter == 1)
        #expect(try serialNumber(0x0000_FFFF).next?.counter == 0x0001_0000)
        #expect(try serialNumber(0x0001_FFFE).next?.counter == 0x0002_0000)
        #expect(try serialNumber(0xFFFE_8000).next?.counter == 0xFFFF_0000)
        #expect(try serialNumber(0xFFFF_0000).next == nil, "the device is at its end")
    }

    @Test func serialNumberIsTwelveBytes() throws {
        let number = try #require(AESKeySerialNumber(hex("123456789012345600000007")))
        #expect(number.counter == 7)
        #expect(number.bytes.hex == "123456789012345600000007")
        #expect(AESKeySerialNumber([1, 2, 3]) == nil)
        #expect(AESKeySerialNumber(initialKeyID: [1], counter: 0) == nil)
    }
}

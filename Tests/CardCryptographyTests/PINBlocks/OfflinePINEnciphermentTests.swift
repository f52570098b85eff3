import Bytes
import CardCryptography
import Testing

@Suite struct OfflinePINEnciphermentTests {
    private let card: RSAPrivateKey
    private let pin: PIN
    private let number: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]

    init() throws {
        card = try .generate(modulusBits: 768, exponent: 3)
        pin = try #require(PIN(ascii: "1234".utf8))
    }

    @Test("EMV 4.4 Book 2, table 25: 7F ‖ PIN block ‖ ICC unpredictable number ‖ random padding") func layout() throws {
        let data = try OfflinePINEncipherment.encipher(pin, unpredictableNumber: number, key: card.publicKey)
        #expect(data.count == 96)
        #expect(try card.decipher(data).prefix(17).hex == "7F241234FFFFFFFFFF0102030405060708")
        #expect(try OfflinePINEncipherment.decipher(data, unpredictableNumber: number, key: card) == pin)
        #expect(try OfflinePINEncipherment.encipher(pin, unpredictableNumber: number, key: card.publicKey) != data)
    }

    @Test func anOldChallengeIsNoticed() throws {
        let data = try OfflinePINEncipherment.encipher(pin, unpredictableNumber: number, key: card.publicKey)
        for other in [[8, 7, 6, 5, 4, 3, 2, 1], [], [1, 2, 3, 4, 5, 6, 7]] as [[UInt8]] {
            #expect(throws: PINBlockError.unpredictableNumber) {
                try OfflinePINEncipherment.decipher(data, unpredictableNumber: other, key: card)
            }
        }
    }

    @Test func refusesHostileData() throws {
        for data in [[], [0], [UInt8](repeating: 0, count: 95), [UInt8](repeating: 0xFF, count: 96)] as [[UInt8]] {
            #expect(throws: PINBlockError.key) {
                try OfflinePINEncipherment.decipher(data, unpredictableNumber: number, key: card)
            }
        }
        let zero = [UInt8](repeating: 0, count: 96)
        #expect(throws: PINBlockError.malformed) {
            try OfflinePINEncipherment.decipher(zero, unpredictableNumber: number, key: card)
        }
        #expect(throws: PINBlockError.length(count: 4, expected: 8)) {
            try OfflinePINEncipherment.encipher(pin, unpredictableNumber: [1, 2, 3, 4], key: card.publicKey)
        }
        let short = try RSAPublicKey(modulus: [UInt8](repeating: 0xFF, count: 16), exponent: [3])
        #expect(throws: PINBlockError.key) {
            try OfflinePINEncipherment.encipher(pin, unpredictableNumber: number, key: short)
        }
    }
}

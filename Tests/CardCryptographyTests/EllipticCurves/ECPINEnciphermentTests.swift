import Bytes
import PeerPrograms
import Testing

@testable import CardCryptography

@Suite struct ECPINEnciphermentTests {
    private let pin: PIN
    private let number: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    private let later: [UInt8] = [9, 8, 7, 6, 5, 4, 3, 2]

    init() throws { pin = try #require(PIN(ascii: "123456".utf8)) }

    @Test(arguments: [EnciphermentSuite.p256, .p521]) func anotherImplementationDeciphers(suite: EnciphermentSuite)
        throws
    {
        let card = ECPrivateKey.generate(suite.curve)
        let terminal = ECPINEncipherment(suite: suite, cardKey: card.publicKey)
        let scalar = card.scalar.bytes(count: suite.curve.fieldCount).hex
        // The second PIN goes under the keys of the first, and its counter is one more.
        for (counter, challenge) in [number, later].enumerated() {
            let data = try terminal.encipher(pin, unpredictableNumber: challenge)
            #expect(data.count == suite.curve.fieldCount + 25)
            let message = try PeerProgram.python(
                file: "ec_pin.py", ["open", [suite.rawValue].hex, scalar, number.hex, "\(counter)", data.hex])
            #expect(message == "7F26123456FFFFFFFF" + challenge.hex)
        }
    }

    @Test(arguments: [EnciphermentSuite.p256, .p521]) func decipersWhatAnotherImplementationEnciphered(
        suite: EnciphermentSuite
    ) throws {
        let (card, own) = (ECPrivateKey.generate(suite.curve), ECPrivateKey.ephemeral(suite.curve))
        var side = ECPINDecipherment(key: card)
        for (counter, challenge) in [number, later].enumerated() {
            let data = try PeerProgram.python(
                file: "ec_pin.py",
                [
                    "seal", [suite.rawValue].hex, own.scalar.bytes(count: suite.curve.fieldCount).hex, number.hex,
                    "\(counter)",
                    card.publicKey.x.hex, "7F26123456FFFFFFFF" + challenge.hex,
                ])
            let enciphered = try hex(data)
            let entered = try side.decipher(enciphered, unpredictableNumber: challenge)
            #expect(entered == pin)
        }
    }

    @Test("EMV 4.4 Book 2, 13.3: too short, no point, a wrong MAC, another challenge, another header, in this order")
    func refusesHostileData() throws {
        let card = ECPrivateKey.generate(.p256)
        let terminal = ECPINEncipherment(suite: .p256, cardKey: card.publicKey)
        let data = try terminal.encipher(pin, unpredictableNumber: number)
        func decipher(_ data: [UInt8], _ challenge: [UInt8]) throws -> PIN {
            var side = ECPINDecipherment(key: card)
            return try side.decipher(data, unpredictableNumber: challenge)
        }
        #expect(try decipher(data, number) == pin)
        #expect(throws: PINBlockError.length(count: 39, expected: 57)) { try decipher(Array(data.prefix(39)), number) }
        #expect(throws: PINBlockError.key) {
            try decipher([UInt8](repeating: 0xFF, count: 32) + data.dropFirst(32), number)
        }
        for index in [32, 40, 50, 56] {
            var changed = data
            changed[index] ^= 0x80
            #expect(throws: PINBlockError.malformed) { try decipher(changed, number) }
        }
        #expect(throws: PINBlockError.malformed) { try decipher(data, later) }
        #expect(throws: PINBlockError.malformed) { try decipher(Array(data.prefix(40)), number) }
    }

    /// The challenge of the message counts, not that of the key agreement alone.
    @Test func anOldMessageIsNoticed() throws {
        let card = ECPrivateKey.generate(.p256)
        let terminal = ECPINEncipherment(suite: .p256, cardKey: card.publicKey)
        var side = ECPINDecipherment(key: card)
        let first = try terminal.encipher(pin, unpredictableNumber: number)
        _ = try side.decipher(first, unpredictableNumber: number)
        #expect(throws: PINBlockError.malformed) { try side.decipher(first, unpredictableNumber: later) }
        let second = try terminal.encipher(pin, unpredictableNumber: number)
        #expect(throws: PINBlockError.unpredictableNumber) { try side.decipher(second, unpredictableNumber: later) }
    }

    @Test func refusesAKeyOfAnotherCurveAndAShortChallenge() throws {
        let key = ECPrivateKey.generate(.p521).publicKey
        #expect(throws: PINBlockError.key) {
            try ECPINEncipherment(suite: .p256, cardKey: key).encipher(pin, unpredictableNumber: number)
        }
        #expect(throws: PINBlockError.length(count: 4, expected: 8)) {
            try ECPINEncipherment(suite: .p521, cardKey: key).encipher(pin, unpredictableNumber: [1, 2, 3, 4])
        }
    }
}

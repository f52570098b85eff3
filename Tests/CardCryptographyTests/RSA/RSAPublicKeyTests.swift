import Bytes
import CardCryptography
import Testing

@Suite struct RSAPublicKeyTests {
    private let odd = [UInt8](repeating: 0xFF, count: 128)

    /// 3233 = 61 × 53, 65³ mod 3233 = 3053 and 65^65537 mod 3233 = 2790 (Python's `pow`).
    @Test func powersOfSmallNumbers() throws {
        let three = try RSAPublicKey(modulus: [0x0C, 0xA1], exponent: [3])
        #expect(try three.recover([0, 65]) == [0x0B, 0xED])
        let fermat = try RSAPublicKey(modulus: [0x0C, 0xA1], exponent: [1, 0, 1])
        #expect(try fermat.recover([0, 65]) == [0x0A, 0xE6])
    }

    /// The same numbers, once the key's Montgomery form is kept, and others that need no computer.
    @Test func powersWithAKeptKey() throws {
        let kept = try RSAPublicKey(modulus: [0x0C, 0xA1], exponent: [3]).kept
        for _ in 0..<6 { #expect(try kept.recover([0, 65]) == [0x0B, 0xED]) }
        #expect(try kept == RSAPublicKey(modulus: [0x0C, 0xA1], exponent: [3]))
        let long = try RSAPublicKey(modulus: odd, exponent: [3]).kept
        for _ in 0..<6 {
            #expect(
                try long.recover([UInt8](repeating: 0, count: 127) + [5]) == [UInt8](repeating: 0, count: 127) + [125])
            #expect(try long.recover([UInt8](repeating: 0, count: 128)) == [UInt8](repeating: 0, count: 128))
        }
        // Two less than the modulus: (−2)³ = −8.
        for _ in 0..<6 {
            #expect(
                try long.recover([UInt8](repeating: 0xFF, count: 127) + [0xFD]) == [UInt8](repeating: 0xFF, count: 127)
                    + [0xF7])
        }
    }

    @Test func resultIsAsLongAsTheModulus() throws {
        let key = try RSAPublicKey(modulus: odd, exponent: [3])
        #expect(try key.recover([UInt8](repeating: 0, count: 128)) == [UInt8](repeating: 0, count: 128))
    }

    @Test(arguments: [[], [0], [0, 0, 0], [1], [0, 1], [2], [0xFF, 0xFE]] as [[UInt8]])
    func refusesEmptyZeroAndEvenModuli(_ modulus: [UInt8]) {
        #expect(throws: RSAError.invalidModulus) { try RSAPublicKey(modulus: modulus, exponent: [3]) }
    }

    @Test func refusesAModulusOver1984Bits() throws {
        #expect(throws: RSAError.modulusTooLong(249)) {
            try RSAPublicKey(modulus: .init(repeating: 0xFF, count: 249), exponent: [3])
        }
        _ = try RSAPublicKey(modulus: .init(repeating: 0xFF, count: 248), exponent: [3])
    }

    @Test(arguments: [[], [0], [1], [2], [5], [17], [1, 0, 0], [3, 0], [1, 0, 1, 0]] as [[UInt8]])
    func refusesOtherExponents(_ exponent: [UInt8]) {
        #expect(throws: RSAError.unsupportedExponent) { try RSAPublicKey(modulus: odd, exponent: exponent) }
    }

    @Test func refusesOperandsOfOtherLengthsOrTooLarge() throws {
        let key = try RSAPublicKey(modulus: odd, exponent: [3])
        for count in [0, 1, 127, 129, 4096] {
            #expect(throws: RSAError.lengthMismatch(count: count, modulusCount: 128)) {
                try key.recover([UInt8](repeating: 1, count: count))
            }
        }
        #expect(throws: RSAError.notBelowModulus) { try key.recover(odd) }
    }
}

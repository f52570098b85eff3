import Bytes
import CardCryptography
import Testing

@Suite struct RSAPrivateKeyTests {
    @Test(arguments: [(512, 3), (1024, 65537), (1152, 3), (1408, 3)]) func signsWhatThePublicKeyRecovers(
        _ bits: Int, _ exponent: Int
    )
        throws
    {
        let key = try RSAPrivateKey.generate(modulusBits: bits, exponent: exponent)
        #expect(key.publicKey.modulus.count == bits / 8)
        #expect(key.publicKey.modulus[0] & 0x80 != 0)
        let block: [UInt8] = [0x6A] + SecureRandom.bytes(bits / 8 - 2) + [0xBC]
        #expect(try key.publicKey.recover(key.sign(block)) == block)
        #expect(try key.decipher(key.publicKey.encipher(block)) == block)
    }

    @Test func fromPrimesAndFromPrivateExponentAlike() throws {
        let primes = primes1024
        let fromPrimes = try RSAPrivateKey(prime1: secret(primes.p), prime2: secret(primes.q), exponent: 3)
        #expect(fromPrimes.publicKey.modulus.hex == primes.n)
        let publicKey = try RSAPublicKey(modulus: hex(primes.n), exponent: [3])
        let fromExponent = try RSAPrivateKey(publicKey: publicKey, privateExponent: secret(primes.d))
        let block = try hex("6A") + [UInt8](repeating: 0xBB, count: 126) + hex("BC")
        #expect(try fromPrimes.sign(block).hex == primes.signature)
        #expect(try fromExponent.sign(block).hex == primes.signature)
    }

    @Test(arguments: [0, -8, 504, 511, 1025, 1992, 4096, Int.max, Int.min]) func refusesOtherLengths(_ bits: Int) {
        #expect(throws: RSAError.unsupportedModulusLength(bits: bits)) {
            try RSAPrivateKey.generate(modulusBits: bits, exponent: 3)
        }
    }

    @Test(arguments: [0, 1, 2, 5, -3]) func refusesOtherExponents(_ exponent: Int) {
        #expect(throws: RSAError.unsupportedExponent) {
            try RSAPrivateKey.generate(modulusBits: 512, exponent: exponent)
        }
    }

    @Test(arguments: [("", ""), ("00", "0B"), ("01", "0B"), ("0B", "0B"), ("0B", "01"), ("07", "0B")])
    func refusesWhatMakesNoKey(_ prime1: String, _ prime2: String) throws {
        #expect(throws: RSAError.self) {
            try RSAPrivateKey(prime1: secret(prime1), prime2: secret(prime2), exponent: 3)
        }
    }

    @Test func refusesAPrivateExponentOfAnotherKey() throws {
        let publicKey = try RSAPublicKey(modulus: hex(primes1024.n), exponent: [3])
        for wrong in ["", "00", "01", "03", String(repeating: "FF", count: 128), String(repeating: "11", count: 129)] {
            #expect(throws: RSAError.invalidPrivateKey) {
                try RSAPrivateKey(publicKey: publicKey, privateExponent: secret(wrong))
            }
        }
    }

    @Test func refusesOperandsOfOtherLengthsOrTooLarge() throws {
        let key = try RSAPrivateKey.generate(modulusBits: 512, exponent: 3)
        #expect(throws: RSAError.lengthMismatch(count: 63, modulusCount: 64)) {
            try key.sign([UInt8](repeating: 1, count: 63))
        }
        #expect(throws: RSAError.notBelowModulus) { try key.sign([UInt8](repeating: 0xFF, count: 64)) }
    }

    /// A key that `openssl genrsa -3 1024` made; d and the signature on 6A ‖ BB × 126 ‖ BC by
    /// Python's `pow`.
    private let primes1024 = (
        p:
            "F575929523A29FA4B550E1D331CE452549D1942DEDCE996A310B30F2713C28E4593E5C700F9DB024120F25EA2DBBE6B14653FA34A1A0AAED"
            + "08122488523E6A19",
        q:
            "E551957A815CC532B716FA89845456B9D58550308E0C04FB461896675B3009BA2410DCDB3D6B8574092F6B027D795A5C18774728B38AA7F3"
            + "F3ACE2051C15BEB9",
        n:
            "DBE065A5AE729A456A97E52C35C48D5646E4DC17DBEA1DB8EE0B456669FD67E08E4B3D11C83C3771139632C25746C2A85BD2E27F24A93EAE"
            + "775926C6AB71553029571DDC6BEE99CB5DA9541C1945E95B46BDDB05C61080A5A04A7A4862A43479E58A873B41D7F38CF6A25C5969911D1B"
            + "982D0946917DAB68ED154AC431E63A11",
        d:
            "929599191EF711839C654372CE8308E42F433D653D46BE7B495CD8EEF1539A95B43228B6857D7A4B626421D6E4D9D71AE7E1EC54C31B7F1E"
            + "FA3B6F2F1CF638C989B54E88849F78A2A0D64FD4ECC233A81A44A46F86CE96D570C47749B97AABE79AD233F54DDF294DE797DCF3299292B4"
            + "26412FF0D2E1905AA0E42D79D7B6B62B",
        signature:
            "06E7696A3ACFE35E712B372B03169476EC308E148E760A78B152A84517DB97B8BAAFEFFD9010FC59BDAAEC64F50CD33CE127F3CA49175A00"
            + "EE3F2E887C88A85524A78780F3174AE43B74DA3CD4738FD506126637D703E2736278E7311B7C708A57C7343957F7169B762CCC010C6677B0"
            + "7FAD48317A46FF274D1374405D89E0E2"
    )
}

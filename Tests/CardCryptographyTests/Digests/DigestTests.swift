import Bytes
import CardCryptography
import Testing

@Suite("Digests and message authentication codes") struct DigestTests {
    /// FIPS 180-4 example values (NIST CSRC, "Examples with Intermediate Values"): one block and
    /// empty messages.
    @Test func digestsOfTheStandard() {
        #expect(SHA1.hash(Array("abc".utf8)).hex == "A9993E364706816ABA3E25717850C26C9CD0D89D")
        #expect(SHA1.hash().hex == "DA39A3EE5E6B4B0D3255BFEF95601890AFD80709")
        #expect(
            SHA256.hash(Array("abc".utf8)).hex == "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD")
        #expect(SHA256.hash([]).hex == "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855")
    }

    @Test func partsHashAsTheyWouldJoined() {
        let whole = Array("abcdef".utf8)
        #expect(SHA1.hash(Array("ab".utf8), [], Array("cdef".utf8)) == SHA1.hash(whole.span))
        #expect(SHA256.hash(Array("ab".utf8), [], Array("cdef".utf8)) == SHA256.hash(whole.span))
    }

    /// RFC 4231, test cases 1 and 2.
    @Test func hmacOfTheStandard() throws {
        let first = HMACSHA256.authenticate(
            Array("Hi There".utf8), key: SecretBytes([UInt8](repeating: 0x0B, count: 20)))
        #expect(first.hex == "B0344C61D8DB38535CA8AFCEAF0BF12B881DC200C9833DA726E9376C2E32CFF7")
        let key = SecretBytes(Array("Jefe".utf8))
        let message = Array("what do ya want for nothing?".utf8)
        let second = try hex("5BDCC146BF60754E6A042426089575C75A003F089D2739839DEC58B964EC3843")
        #expect(HMACSHA256.authenticate(message, key: key) == second)
        #expect(HMACSHA256.isValid(second, for: message, key: key))
        #expect(!HMACSHA256.isValid(Array(second.dropLast()), for: message, key: key))
    }

    /// The value of `printf '' | openssl dgst -sha256 -mac HMAC -macopt hexkey:` and of Python's
    /// `hmac.new(b"", b"", "sha256")`.
    @Test func hmacTakesAnEmptyKey() {
        #expect(
            HMACSHA256.authenticate([], key: SecretBytes([])).hex
                == "B613679A0814D9EC772F95D778C35FC5FF1697C493715653C6C712144292C5AD")
    }
}

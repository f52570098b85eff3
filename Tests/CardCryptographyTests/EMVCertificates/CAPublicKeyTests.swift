import CardCryptography
import Testing

@Suite struct CAPublicKeyTests {
    private func published() throws -> [CAPublicKey] { try CAPublicKeyFile.parse(vectorText("keys/ca-test-keys.tsv")) }

    @Test func publishedCheckSumsFit() throws {
        let keys = try published()
        #expect(keys.count == 7)
        for key in keys {
            #expect(key.hasChecksum(key.checksum))
            #expect(!CAPublicKey(rid: key.rid, index: key.index ^ 1, key: key.key).hasChecksum(key.checksum))
            #expect(!key.hasChecksum([]))
        }
    }

    @Test func expiresAfterItsLastDay() throws {
        let key = try published()[0]
        let last = try #require(CertificateDate(yymmdd: [0x25, 0x12, 0x31]))
        let dated = CAPublicKey(rid: key.rid, index: key.index, key: key.key, expiry: last)
        #expect(!dated.isExpired(on: last))
        #expect(try dated.isExpired(on: #require(CertificateDate(yymmdd: [0x26, 0x01, 0x01]))))
        #expect(!key.isExpired(on: last))
    }
}

@Suite struct CAPublicKeyFileTests {
    private let modulus = String(repeating: "A1", count: 63) + "A3"

    @Test func takesKeysWithAndWithoutSchemeAndCheckSum() throws {
        let keys = try CAPublicKeyFile.parse("# comment\n\nVisa A000000003 92 03 \(modulus)\nA000000004\tEF\t03\t\(modulus) # end\n")
        #expect(keys.map(\.index) == [0x92, 0xEF])
        #expect(keys.map(\.rid) == [[0xA0, 0, 0, 0, 3], [0xA0, 0, 0, 0, 4]])
    }

    @Test(arguments: [
        ("A000000003 92 03", "expected [scheme] RID index exponent modulus [check sum]"),
        ("Visa A0000000 92 03 MOD", "the RID has 5 bytes and the index 1"),
        ("A000000003 9 03 MOD", "1 hexadecimal digits make no whole number of bytes"),
        ("A000000003 92 02 MOD", "the RSA public exponent is neither 3 nor 65537"),
        ("A000000003 92 03 MOD 0011223344", "the check sum is not that of the key"),
    ])
    func namesTheLineThatIsNoKey(line: String, problem: String) {
        let text = "# head\n" + line.replacing("MOD", with: modulus)
        let error = #expect(throws: CAPublicKeyFileError.self) { try CAPublicKeyFile.parse(text) }
        #expect(error?.description == "line 2: \(problem)")
    }
}

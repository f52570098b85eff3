import Bytes
import CardCryptography
import Testing

@Suite struct CAPublicKeyTests {
    private func published() throws -> [CAPublicKey] { try CAPublicKeyFile.parse(vectorText("keys/ca-test-keys.tsv")) }

    @Test func publishedCheckSumsFit() throws {
        let keys = try published()
        #expect(keys.count == 9)
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
        let keys = try CAPublicKeyFile.parse(
            "# comment\n\nVisa A000000003 92 03 \(modulus)\nA000000004\tEF\t03\t\(modulus) # end\n")
        #expect(keys.map(\.index) == [0x92, 0xEF])
        #expect(keys.map(\.rid) == [[0xA0, 0, 0, 0, 3], [0xA0, 0, 0, 0, 4]])
    }

    @Test(
        "The error of a line that is not a key has its number and its reason",
        arguments: [
            ("A000000003 92 03", CAPublicKeyFileError.Problem.columns), ("Visa A0000000 92 03 MOD", .columns),
            ("Visa A000000003 9292 03 MOD", .identifierLength),
            ("A000000003 92 03 MOD 2030-13-31", .date("2030-13-31")),
            ("A000000003 92 03 MOD x-y-z", .date("x-y-z")), ("Visa 2000A00000000392", .certificate(.lengthMismatch)),
            ("A000000003 9 03 MOD", .hexadecimal(.oddNumberOfDigits(1))),
            ("A000000003 92 02 MOD", .key(.unsupportedExponent)),
            ("A000000003 92 03 MOD 0011223344", .checksum), (String(repeating: "A1", count: 4000), .tooLong),
        ])
    func namesTheLineThatIsNoKey(line: String, problem: CAPublicKeyFileError.Problem) {
        let text = "# head\n" + line.replacing("MOD", with: modulus)
        let error = #expect(throws: CAPublicKeyFileError.self) { try CAPublicKeyFile.parse(text) }
        #expect(error?.line == 2)
        #expect(error?.problem == problem)
        #expect(error?.description == "line 2: \(problem)")
    }

    @Test("Another key of the same RID and index is refused with both check sums") func anotherKey() throws {
        let (first, second) = ("A000000003 92 03 \(modulus)", "A000000003 92 03 A1\(modulus)")
        let keys = try [first, second].map { try #require(try CAPublicKeyFile.parse($0).first) }
        let error = #expect(throws: CAPublicKeyFileError.self) { try CAPublicKeyFile.parse("\(first)\n\(second)") }
        #expect(error?.line == 2 && error?.problem == .anotherKey(keys[0], keys[1]))
        for key in keys { #expect(error?.description.contains("\(key.checksum.prefix(4).hex)…") == true) }
    }

    @Test("Texts of problems name the cure") func problemTexts() {
        #expect("\(CAPublicKeyFileError.Problem.date("2030-13-31"))" == "2030-13-31 is not a date; write YYYY-MM-DD")
        #expect("\(CAPublicKeyFileError.Problem.date("1-2-\u{1B}[31m"))" == "1-2- [31m is not a date; write YYYY-MM-DD")
        let long = "\(CAPublicKeyFileError.Problem.date("1-2-" + String(repeating: "3", count: 4000)))"
        #expect(long.count < 100)
        #expect("\(CAPublicKeyFileError.Problem.columns)".hasPrefix("expected [scheme] RID index exponent modulus"))
    }

    /// A bad line, one that is too long, and a second key of the same name are lost, named, and
    /// nothing else with them.
    @Test func aBadLineCostsItsOwnKey() throws {
        let text = """
            A000000003 90 03 \(modulus)
            A000000003 91 03 \(modulus) 0011
            A000000003 93 03 \(String(repeating: "A1", count: 4000))
            A000000003 90 03 A1\(modulus)
            A000000003 90 03 \(modulus)
            A000000003 94 03 \(modulus)
            """
        let (keys, problems) = CAPublicKeyFile.read(text)
        #expect(keys.map(\.index) == [0x90, 0x94])
        #expect(problems.map(\.line) == [2, 3, 4])
        #expect(problems.map(\.problem)[..<2] == [.checksum, .tooLong])
        guard case .anotherKey(keys[0], _) = problems[2].problem else {
            Issue.record("\(problems[2])")
            return
        }
    }

    @Test func takesLastDaysAndNamesOfSeveralWords() throws {
        let keys = try CAPublicKeyFile.parse(
            "American Express A000000025 C8 03 \(modulus) 2030-12-31\nVisa A000000003 92 03 \(modulus)\nVisa A000000003 92 03 \(modulus)\n"
        )
        #expect(keys.map(\.expiry) == [CertificateDate(year: 2030, month: 12, day: 31), nil])
        #expect(keys.key(rid: [0xA0, 0, 0, 0, 3], index: 0x92)?.index == 0x92)
        #expect(keys.key(rid: [0xA0, 0, 0, 0, 3], index: 0xC8) == nil)
    }

    @Test func takesSelfSignedCertificates() throws {
        let authority = ECPrivateKey.generate(.p256)
        let certificate = try ECCAPublicKeyCertificate.issue(
            rid: [0xA0, 0, 0, 0, 4], index: 0xE0, suite: .p256, by: authority)
        let keys = try CAPublicKeyFile.parse("Mastercard \(certificate.hex) 2040-12-31\n")
        #expect(
            keys == [
                CAPublicKey(
                    rid: [0xA0, 0, 0, 0, 4], index: 0xE0, key: .ellipticCurve(authority.publicKey, .p256),
                    expiry: CertificateDate(year: 2040, month: 12, day: 31))
            ])
        // SHA-256 over RID, index, suite, x and y, by openssl.
        #expect(keys[0].checksum.count == 32)
    }
}

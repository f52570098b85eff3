import Bytes
import CardCryptography
import Testing

/// An authority, an issuer and a card with elliptic curve keys, and their certificates in the
/// layouts of EMV 4.4 Book 2, tables 29, 35 and 36.
private struct Chain {
    let rid: [UInt8] = [0xA0, 0, 0, 0, 4]
    let suite: SignatureSuite
    let authority, issuer, card: ECPrivateKey
    let cardData: [UInt8] = [0x5A, 0x01, 0x11, 0x82, 0x02, 0x80, 0x00]

    init(_ suite: SignatureSuite) {
        self.suite = suite
        (authority, issuer, card) = (.generate(suite.curve), .generate(suite.curve), .generate(suite.curve))
    }

    var ca: CAPublicKey { CAPublicKey(rid: rid, index: 0xE0, key: .ellipticCurve(authority.publicKey, suite)) }

    func issuerCertificate() throws -> [UInt8] {
        try ECIssuerPublicKeyCertificate.issue(
            for: issuer.publicKey, suite: suite, issuerIdentifier: [0x54, 0x13, 0x33, 0x90, 0xFF],
            expiry: [0x20, 0x30, 0x12, 0x31],
            serialNumber: [1, 2, 3], ca: (rid, 0xE0, suite), by: authority)
    }

    func cardCertificate(hash: CardDataHash = .sha256) throws -> [UInt8] {
        try ECICCPublicKeyCertificate.issue(
            for: card.publicKey, suite: suite, expiry: [0x20, 0x29, 0x12, 0x31, 0x23, 0x59],
            serialNumber: [9, 8, 7, 6, 5, 4],
            cardData: cardData, cardDataHash: hash, issuerSuite: suite, by: issuer)
    }
}

@Suite struct EllipticCurveCertificateTests {
    @Test("a chain of elliptic curve certificates verifies", arguments: [SignatureSuite.p256, .p521]) func chain(
        suite: SignatureSuite
    )
        throws
    {
        let chain = Chain(suite)
        let selfSigned = try ECCAPublicKeyCertificate.issue(
            rid: chain.rid, index: 0xE0, suite: suite, by: chain.authority)
        #expect(selfSigned.prefix(9) == [0x20, 0x00, 0xA0, 0, 0, 0, 4, 0xE0, suite.rawValue])
        let ca = try ECCAPublicKeyCertificate.recover(selfSigned)
        #expect(ca == chain.ca)
        let issuer = try ECIssuerPublicKeyCertificate.recover(chain.issuerCertificate(), with: ca)
        #expect(issuer.key == chain.issuer.publicKey)
        #expect(issuer.serialNumber == [1, 2, 3])
        #expect(issuer.matches(pan: [0x54, 0x13, 0x33, 0x90, 0x00, 0x00, 0x15, 0x13]))
        #expect(!issuer.matches(pan: [0x54, 0x13, 0x33, 0x91, 0x00, 0x00, 0x15, 0x13]))
        let icc = try ECICCPublicKeyCertificate.recover(chain.cardCertificate(), with: issuer, cardData: chain.cardData)
        #expect(icc.key == chain.card.publicKey)
        #expect(icc.serialNumber == [9, 8, 7, 6, 5, 4])
        let signed = try XDASignature.sign([1, 2, 3], suite: suite, by: chain.card)
        #expect(signed.count == 1 + suite.signatureCount && signed[0] == 0x15)
        try XDASignature.verify(signed, key: icc, transactionData: [1, 2, 3])
        #expect(throws: CertificateError.signature) {
            try XDASignature.verify(signed, key: icc, transactionData: [1, 2, 4])
        }
        #expect(throws: CertificateError.format) {
            try XDASignature.verify([0x05] + signed.dropFirst(), key: icc, transactionData: [1, 2, 3])
        }
        #expect(throws: CertificateError.lengthMismatch) { try XDASignature.verify([], key: icc, transactionData: []) }
    }

    @Test(
        "The certificates of EMV Contactless Book E, examples 3.2 and 4.2, were signed by somebody else",
        arguments: [0, 2])
    func publishedIssuerCertificate(index: Int) throws {
        struct Example: Decodable { let suite, privateKey, message, signature: String }
        let example = try (vectors("emv/elliptic-curve-signatures.json") as [Example])[index]
        let message = try hex(example.message)
        let suite = try #require(SignatureSuite(rawValue: hex(example.suite)[0]))
        let authority = try ECPrivateKey(suite.curve, scalar: secret(example.privateKey))
        let ca = CAPublicKey(
            rid: Array(message[15..<20]), index: message[20], key: .ellipticCurve(authority.publicKey, suite))
        let issuer = try ECIssuerPublicKeyCertificate.recover(message + hex(example.signature), with: ca)
        #expect(issuer.issuerIdentifier.hex == "54133390FF")
        #expect(issuer.serialNumber.hex == "123456")
        let (last, next) = (
            CertificateDate(yyyymmdd: [0x20, 0x30, 0x12, 0x31]), CertificateDate(yyyymmdd: [0x20, 0x31, 0x01, 0x01])
        )
        #expect(issuer.expiry == last)
        #expect(try !issuer.isExpired(on: #require(last)))
        #expect(try issuer.isExpired(on: #require(next)))
    }

    @Test func everyCheckOfTheIssuerCertificate() throws {
        let chain = Chain(.p256)
        let right = try chain.issuerCertificate()
        func change(_ index: Int, _ value: UInt8) -> [UInt8] {
            var changed = right
            changed[index] = value
            return changed
        }
        let cases: [([UInt8], CertificateError)] = [
            ([], .lengthMismatch), (Array(right.prefix(20)), .lengthMismatch), (change(0, 0x02), .format),
            (change(1, 0x01), .encoding),
            (change(15, 0xA1), .authority), (change(20, 0xE1), .authority), (change(7, 0x12), .unsupportedAlgorithm),
            (change(7, 0x11), .lengthMismatch), (right + [0], .lengthMismatch), (change(2, 0x55), .signature),
            (change(30, right[30] ^ 1), .signature), (change(right.count - 1, right[right.count - 1] ^ 1), .signature),
        ]
        for (certificate, error) in cases {
            #expect(throws: error) { try ECIssuerPublicKeyCertificate.recover(certificate, with: chain.ca) }
        }
        let rsa = try CAPublicKey(
            rid: chain.rid, index: 0xE0, key: RSAPrivateKey.generate(modulusBits: 768, exponent: 3).publicKey)
        #expect(throws: CertificateError.unsupportedAlgorithm) {
            try ECIssuerPublicKeyCertificate.recover(right, with: rsa)
        }
        #expect(throws: CertificateError.unsupportedAlgorithm) {
            try IssuerPublicKeyCertificate.recover(certificate: right, remainder: nil, exponent: [3], with: chain.ca)
        }
    }

    @Test(arguments: [CardDataHash.sha256, .sha512]) func everyCheckOfTheCardCertificate(hash: CardDataHash) throws {
        let chain = Chain(.p256)
        let issuer = try ECIssuerPublicKeyCertificate.recover(chain.issuerCertificate(), with: chain.ca)
        let right = try chain.cardCertificate(hash: hash)
        _ = try ECICCPublicKeyCertificate.recover(right, with: issuer, cardData: chain.cardData)
        func change(_ index: Int, _ value: UInt8) -> [UInt8] {
            var changed = right
            changed[index] = value
            return changed
        }
        let cases: [([UInt8], CertificateError)] = [
            ([], .lengthMismatch), (change(0, 0x04), .format), (change(1, 0x01), .encoding),
            (change(15, 0x01), .encoding),
            (change(2, 0x00), .unsupportedAlgorithm), (change(16, 0x01), .hashAlgorithm),
            (Array(right.dropLast()), .lengthMismatch),
            (change(20, right[20] ^ 1), .hash), (change(9, right[9] ^ 1), .signature),
            (change(right.count - 70, right[right.count - 70] ^ 1), .signature),
        ]
        for (certificate, error) in cases {
            #expect(throws: error) {
                try ECICCPublicKeyCertificate.recover(certificate, with: issuer, cardData: chain.cardData)
            }
        }
        #expect(throws: CertificateError.hash) {
            try ECICCPublicKeyCertificate.recover(right, with: issuer, cardData: [1])
        }
        // A key for signatures is none for encipherment.
        #expect(throws: CertificateError.unsupportedAlgorithm) {
            try ECICCPublicKeyCertificate.recoverEncipherment(right, with: issuer, cardData: chain.cardData)
        }
    }

    @Test("12.4 step 4: the certificate ends at a day and a time") func cardCertificateExpires() throws {
        let chain = Chain(.p256)
        let issuer = try ECIssuerPublicKeyCertificate.recover(chain.issuerCertificate(), with: chain.ca)
        let icc = try ECICCPublicKeyCertificate.recover(chain.cardCertificate(), with: issuer, cardData: chain.cardData)
        func day(_ yyyymmdd: String) throws -> CertificateDate {
            try #require(CertificateDate(yyyymmdd: hex(yyyymmdd)))
        }
        #expect(try !icc.isExpired(on: day("20291230"), at: [0x23, 0x59]))
        #expect(try !icc.isExpired(on: day("20291231"), at: [0x23, 0x58]))
        #expect(try icc.isExpired(on: day("20291231"), at: [0x23, 0x59]))
        #expect(try icc.isExpired(on: day("20300101"), at: [0x00, 0x00]))
    }

    @Test func everyCheckOfTheSelfSignedCertificate() throws {
        let key = ECPrivateKey.generate(.p256)
        let right = try ECCAPublicKeyCertificate.issue(rid: [0xA0, 0, 0, 0, 3], index: 1, suite: .p256, by: key)
        func change(_ index: Int, _ value: UInt8) -> [UInt8] {
            var changed = right
            changed[index] = value
            return changed
        }
        let cases: [([UInt8], CertificateError)] = [
            ([], .lengthMismatch), (change(0, 0x21), .format), (change(1, 0x01), .encoding),
            (change(8, 0x00), .unsupportedAlgorithm),
            (change(8, 0x11), .lengthMismatch), (change(7, 0x02), .signature), (change(60, right[60] ^ 1), .signature),
            (right + [0], .lengthMismatch),
        ]
        for (certificate, error) in cases {
            #expect(throws: error) { try ECCAPublicKeyCertificate.recover(certificate) }
        }
        #expect(throws: IssuingError.fieldLength(count: 1, expected: 5)) {
            try ECCAPublicKeyCertificate.issue(rid: [1], index: 1, suite: .p256, by: key)
        }
        #expect(throws: IssuingError.curveKey(.lengthMismatch(count: 32, expected: 66))) {
            try ECCAPublicKeyCertificate.issue(rid: [0xA0, 0, 0, 0, 3], index: 1, suite: .p521, by: key)
        }
    }
}

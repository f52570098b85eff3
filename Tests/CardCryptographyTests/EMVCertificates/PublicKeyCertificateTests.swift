import Bytes
import Testing

@testable import CardCryptography

@Suite struct PublicKeyCertificateTests {
    @Test func recoversTheKeysOfMastercardTestCards() throws {
        for card in [try TestCard.contact(), try TestCard.contactless()] {
            let issuer = try card.issuer
            #expect(issuer.key.modulus.hex == card.expected.issuerModulus)
            #expect(issuer.issuerIdentifier.hex == card.expected.issuerIdentifier)
            #expect(issuer.expiry.hex == card.expected.issuerExpiry)
            #expect(issuer.serialNumber.hex == card.expected.issuerSerialNumber)
            #expect(try issuer.matches(pan: hex(card.pan)))
            let icc = try card.icc
            #expect(icc.key.modulus.hex == card.expected.iccModulus)
            #expect(icc.pan.hex == card.expected.iccPAN)
            #expect(icc.expiry.hex == card.expected.iccExpiry)
            #expect(icc.serialNumber.hex == card.expected.iccSerialNumber)
            #expect(try icc.matches(pan: hex(card.pan)))
        }
    }

    @Test func anotherDataOrKeyFailsTheHash() throws {
        let card = try TestCard.contact()
        let (issuer, staticData) = (try card.issuer.key, try hex(card.staticData))
        let (certificate, remainder, exponent) = (
            try hex(card.iccCertificate), try hex(card.iccRemainder), try hex(card.iccExponent)
        )
        func recover(_ remainder: [UInt8], _ exponent: [UInt8], _ data: [UInt8]) throws(CertificateError) {
            _ = try ICCPublicKeyCertificate.recover(
                certificate: certificate, remainder: remainder, exponent: exponent, with: issuer, staticData: data)
        }
        #expect(throws: CertificateError.hash) { try recover(remainder, exponent, staticData + [0]) }
        #expect(throws: CertificateError.hash) { try recover(remainder, exponent, []) }
        #expect(throws: CertificateError.remainderMissing) { try recover([], exponent, staticData) }
        #expect(throws: CertificateError.hash) { try recover(remainder + [0], exponent, staticData) }
        #expect(throws: CertificateError.hash) { try recover(remainder, [3], staticData) }
        #expect(throws: CertificateError.hash) { try recover(remainder, [], staticData) }
        #expect(throws: CertificateError.trailer) {
            try IssuerPublicKeyCertificate.recover(
                certificate: [UInt8](repeating: 0, count: 248), remainder: nil, exponent: exponent, with: card.ca)
        }
    }

    @Test(arguments: [0, 1, 35, 36, 247, 249, 1000]) func anotherLengthThanTheModulus(_ count: Int) throws {
        let ca = try TestCard.contact().ca
        #expect(throws: CertificateError.lengthMismatch) {
            try IssuerPublicKeyCertificate.recover(
                certificate: [UInt8](repeating: 0x11, count: count), remainder: nil, exponent: [3], with: ca)
        }
    }

    @Test func aModulusTooShortForTheFieldsSignsNothing() throws {
        for count in [1, 2, 22, 35, 41] {
            let key = try RSAPublicKey(modulus: [UInt8](repeating: 0xFF, count: count), exponent: [3])
            #expect(throws: CertificateError.lengthMismatch) {
                try ICCPublicKeyCertificate.recover(
                    certificate: [UInt8](repeating: 0, count: count), remainder: nil, exponent: [3], with: key,
                    staticData: [])
            }
        }
    }

    @Test func aCertificateNotBelowTheModulusIsNotRecoverable() throws {
        let ca = try TestCard.contact().ca
        guard case .rsa(let key) = ca.key else { return #expect(Bool(false), "the published key is an RSA key") }
        #expect(throws: CertificateError.notRecoverable) {
            try IssuerPublicKeyCertificate.recover(certificate: key.modulus, remainder: nil, exponent: [3], with: ca)
        }
    }
}

/// Certificates that a certification authority of our own signs wrongly, one step of EMV 4.4 Book
/// 2, 6.3 at a time.
@Suite struct WrongCertificateTests {
    private let signer: RSAPrivateKey
    private let ca: CAPublicKey
    private let key: RSAPublicKey

    init() throws {
        signer = try RSAPrivateKey.generate(modulusBits: 1024, exponent: 3)
        ca = CAPublicKey(rid: [0xA0, 0, 0, 0, 4], index: 1, key: signer.publicKey)
        key = try RSAPublicKey(modulus: [UInt8](repeating: 0xC1, count: 64), exponent: [3])
    }

    /// Format ‖ identifier ‖ MMYY ‖ serial ‖ hash algorithm ‖ key algorithm ‖ lengths ‖ modulus,
    /// 106 bytes in all.
    private func content(
        format: UInt8 = 2, hashAlgorithm: UInt8 = 1, keyAlgorithm: UInt8 = 1, modulusCount: UInt8 = 64,
        exponentCount: UInt8 = 1,
        modulus: [UInt8]? = nil
    ) -> [UInt8] {
        let fields = [
            format, 0x54, 0x13, 0x33, 0xFF, 0x12, 0x30, 0, 0, 1, hashAlgorithm, keyAlgorithm, modulusCount,
            exponentCount,
        ]
        let body = fields + (modulus ?? key.modulus)
        return body + [UInt8](repeating: 0xBB, count: 106 - body.count)
    }

    private func recover(_ certificate: [UInt8], remainder: [UInt8]? = nil) throws(CertificateError) -> IssuerPublicKey
    {
        try IssuerPublicKeyCertificate.recover(certificate: certificate, remainder: remainder, exponent: [3], with: ca)
    }

    @Test func theRightOnePasses() throws {
        #expect(try recover(signer.signBlock(content(), hashedWith: [3])).key == key)
    }

    @Test func headerAndTrailer() throws {
        let hash = SHA1.hash(content(), [3])
        let header = try signer.sign([0x6B] + content() + hash + [0xBC])
        #expect(throws: CertificateError.header) { try recover(header) }
        let trailer = try signer.sign([0x6A] + content() + hash + [0xBD])
        #expect(throws: CertificateError.trailer) { try recover(trailer) }
        let digest = try signer.sign([0x6A] + content() + hash.reversed() + [0xBC])
        #expect(throws: CertificateError.hash) { try recover(digest) }
    }

    @Test("a certificate with a wrong field fails") func fields() throws {
        let wrong: [(CertificateError, [UInt8])] = [
            (.format, content(format: 4)), (.hashAlgorithm, content(hashAlgorithm: 0)),
            (.hashAlgorithm, content(hashAlgorithm: 2)),
            (.unsupportedAlgorithm, content(keyAlgorithm: 0)), (.unsupportedAlgorithm, content(keyAlgorithm: 2)),
            // Book 3, 7.5, table 35: the recovered length says that a part is missing, and there is
            // none.
            (.remainderMissing, content(modulusCount: 255)), (.remainderMissing, content(modulusCount: 93)),
            (.innerLength, content(exponentCount: 0)), (.innerLength, content(exponentCount: 3)),
            (.key(.invalidModulus), content(modulusCount: 0)),
            (.key(.invalidModulus), content(modulus: [UInt8](repeating: 0, count: 64))),
            (.key(.invalidModulus), content(modulus: [UInt8](repeating: 2, count: 64))),
        ]
        for (error, content) in wrong {
            let certificate = try signer.signBlock(content, hashedWith: [3])
            #expect(throws: error) { try recover(certificate) }
        }
    }

    @Test func aRemainderNobodyNeeds() throws {
        let certificate = try signer.signBlock(content(), hashedWith: [7], [3])
        #expect(throws: CertificateError.innerLength) { try recover(certificate, remainder: [7]) }
    }

    @Test func anExponentEMVDoesNotKnow() throws {
        let certificate = try signer.signBlock(content(), hashedWith: [5])
        #expect(throws: CertificateError.key(.unsupportedExponent)) {
            try IssuerPublicKeyCertificate.recover(certificate: certificate, remainder: nil, exponent: [5], with: ca)
        }
    }
}

import Bytes
import CardCryptography
import Testing

/// A whole chain of our own: what the issuing side makes, the terminal's side accepts.
@Suite("The terminal's side accepts a chain that the issuing side makes") struct IssuingTests {
    private let authority: RSAPrivateKey
    private let issuer: RSAPrivateKey
    private let card: RSAPrivateKey
    private let staticData = Array("static data".utf8)
    private let pan: [UInt8] = [0x54, 0x13, 0x33, 0x00, 0x89, 0x60, 0x00, 0x44, 0xFF, 0xFF]

    init() throws {
        authority = try .generate(modulusBits: 1152, exponent: 3)
        issuer = try .generate(modulusBits: 1024, exponent: 65537)
        card = try .generate(modulusBits: 768, exponent: 3)
    }

    @Test func issuerCertificateWithAndWithoutRemainder() throws {
        let ca = CAPublicKey(rid: [0xA0, 0, 0, 0, 4], index: 9, key: authority.publicKey)
        for (key, remainderCount) in [(issuer.publicKey, 128 - (144 - 36)), (card.publicKey, 0)] {
            let issued = try IssuerPublicKeyCertificate.issue(
                for: key, issuerIdentifier: [0x54, 0x13, 0x33, 0xFF], expiry: [0x12, 0x30], serialNumber: [1, 2, 3],
                by: authority)
            #expect(issued.remainder.count == remainderCount)
            let recovered = try IssuerPublicKeyCertificate.recover(
                certificate: issued.certificate, remainder: issued.remainder, exponent: key.exponent, with: ca)
            #expect(recovered.key == key)
            #expect(recovered.issuerIdentifier == [0x54, 0x13, 0x33, 0xFF])
            #expect(recovered.expiry == [0x12, 0x30])
            #expect(recovered.serialNumber == [1, 2, 3])
        }
    }

    @Test("An issued card certificate is recovered with its key and data") func cardCertificates() throws {
        let key = card.publicKey
        let issued = try ICCPublicKeyCertificate.issue(
            for: key, pan: pan, expiry: [0x12, 0x30], serialNumber: [0, 0, 7], staticData: staticData, by: issuer)
        let recovered = try ICCPublicKeyCertificate.recover(
            certificate: issued.certificate, remainder: issued.remainder, exponent: key.exponent,
            with: issuer.publicKey,
            staticData: staticData)
        #expect(recovered.key == key)
        #expect(recovered.pan == pan)
        let pinEncipherment = try ICCPublicKeyCertificate.issuePINEncipherment(
            for: key, pan: pan, expiry: [0x12, 0x30], serialNumber: [0, 0, 8], by: issuer)
        #expect(
            try ICCPublicKeyCertificate.recoverPINEncipherment(
                certificate: pinEncipherment.certificate, remainder: pinEncipherment.remainder, exponent: key.exponent,
                with: issuer.publicKey
            ).serialNumber == [0, 0, 8])
    }

    @Test("Signed static and dynamic data are verified") func signedData() throws {
        let ssad = try SignedStaticApplicationData.sign(
            dataAuthenticationCode: [0xDA, 0xC0], staticData: staticData, by: issuer)
        #expect(
            try SignedStaticApplicationData.verify(ssad, issuer: issuer.publicKey, staticData: staticData) == [
                0xDA, 0xC0,
            ])
        let dda = try SignedDynamicApplicationData.signDDA(
            iccDynamicNumber: [1, 2, 3, 4], terminalDynamicData: [9, 9], by: card)
        #expect(
            try SignedDynamicApplicationData.verifyDDA(dda, key: card.publicKey, terminalDynamicData: [9, 9]) == [
                1, 2, 3, 4,
            ])
        let cda = try SignedDynamicApplicationData.signCDA(
            iccDynamicNumber: [1, 2], cryptogramInformationData: 0x80, applicationCryptogram: [1, 2, 3, 4, 5, 6, 7, 8],
            transactionData: staticData, unpredictableNumber: [6, 7, 8, 9], by: card)
        let data = try SignedDynamicApplicationData.recoverCDA(
            cda, key: card.publicKey, unpredictableNumber: [6, 7, 8, 9])
        #expect(data.iccDynamicNumber == [1, 2])
        #expect(data.cryptogramInformationData == 0x80)
        #expect(data.applicationCryptogram == [1, 2, 3, 4, 5, 6, 7, 8])
        try data.verifyTransactionData(staticData)
    }

    @Test func refusesFieldsThatDoNotFit() throws {
        #expect(throws: IssuingError.fieldLength(count: 3, expected: 4)) {
            try IssuerPublicKeyCertificate.issue(
                for: card.publicKey, issuerIdentifier: [1, 2, 3], expiry: [1, 2], serialNumber: [1, 2, 3], by: authority
            )
        }
        #expect(throws: IssuingError.fieldLength(count: 9, expected: 8)) {
            try SignedDynamicApplicationData.signDDA(
                iccDynamicNumber: [UInt8](repeating: 1, count: 9), terminalDynamicData: [], by: card)
        }
        let short = try RSAPrivateKey(prime1: SecretBytes([0x2F]), prime2: SecretBytes([0x3B]), exponent: 3)
        #expect(throws: IssuingError.modulusTooShort(modulusCount: 2)) {
            try SignedStaticApplicationData.sign(dataAuthenticationCode: [1, 2], staticData: [], by: short)
        }
    }
}

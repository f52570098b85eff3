import Bytes
import CardCryptography
import Testing

/// One card of `Vectors/emv/mastercard-certificates.json`.
struct TestCard: Decodable {
    struct Expected: Decodable {
        let issuerModulus, issuerIdentifier, issuerExpiry, issuerSerialNumber: String
        let iccModulus, iccPAN, iccExpiry, iccSerialNumber: String
        let dataAuthenticationCode, iccDynamicNumber, cryptogramInformationData, applicationCryptogram: String?
    }

    let pan, issuerCertificate, issuerExponent, iccCertificate, iccRemainder, iccExponent, staticData: String
    let ssad, sdad, cdol1Data, answerWithoutSDAD, unpredictableNumber: String?
    let expected: Expected

    static func contact() throws -> TestCard { try card("contact") }
    static func contactless() throws -> TestCard { try card("contactless") }

    private static func card(_ name: String) throws -> TestCard {
        let cards: [String: TestCard] = try vectors("emv/mastercard-certificates.json")
        return try #require(cards[name])
    }
}

extension TestCard {
    /// Mastercard's test key EF, which signed both cards' issuer.
    var ca: CAPublicKey {
        get throws {
            try #require(CAPublicKeyFile.parse(vectorText("keys/ca-test-keys.tsv")).first { $0.index == 0xEF })
        }
    }

    var issuer: IssuerPublicKey {
        get throws {
            try IssuerPublicKeyCertificate.recover(
                certificate: hex(issuerCertificate), remainder: nil, exponent: hex(issuerExponent), with: ca)
        }
    }

    var icc: ICCPublicKey {
        get throws {
            try ICCPublicKeyCertificate.recover(
                certificate: hex(iccCertificate), remainder: hex(iccRemainder), exponent: hex(iccExponent),
                with: issuer.key,
                staticData: hex(staticData))
        }
    }
}

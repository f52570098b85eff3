import Bytes
import CardCryptography
import Testing

/// `Vectors/emv/ca-test-keys.json`.
struct CATestKeys: Decodable {
    struct Entry: Decodable {
        let rid, index, exponent, modulus, checksum: String
    }

    let keys: [Entry]

    static func all() throws -> [(key: CAPublicKey, checksum: [UInt8])] {
        let document: CATestKeys = try vectors("emv/ca-test-keys.json")
        return try document.keys.map { entry in
            let key = try RSAPublicKey(modulus: hex(entry.modulus), exponent: hex(entry.exponent))
            return (try CAPublicKey(rid: hex(entry.rid), index: hex(entry.index)[0], key: key), try hex(entry.checksum))
        }
    }
}

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
        get throws { try #require(CATestKeys.all().first { $0.key.index == 0xEF }).key }
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
                certificate: hex(iccCertificate), remainder: hex(iccRemainder), exponent: hex(iccExponent), with: issuer.key,
                staticData: hex(staticData))
        }
    }
}

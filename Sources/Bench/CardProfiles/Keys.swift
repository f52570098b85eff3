import Bytes
import CardCryptography
import JSONDocument
import VirtualCard

/// The keys of the card and of its certification.
enum Keys {
    private static let curves: [(String, SignatureSuite)] = [("P-256", .p256), ("P-521", .p521)]

    static func read(_ place: Place, into profile: inout CardProfile) throws(DocumentError) {
        let members = try place.members([
            "authorityIndex", "authorityBits", "issuerBits", "iccBits", "exponent", "pinEnciphermentKey", "curve",
        ])
        func bits(_ place: Place) throws(DocumentError) -> Int {
            let bits = try place.number(512...1984)
            guard bits.isMultiple(of: 8) else { throw place.wrong(ProfileFault.keyBits(bits)) }
            return bits
        }
        try members.take("authorityIndex", &profile.caPublicKeyIndex) { place throws(DocumentError) in
            try place.bytes(1...1)[0]
        }
        try members.take("authorityBits", &profile.keySizes.certificationAuthority, bits)
        try members.take("issuerBits", &profile.keySizes.issuer, bits)
        try members.take("iccBits", &profile.keySizes.icc, bits)
        try members.take("exponent", &profile.keySizes.exponent) { place throws(DocumentError) in
            let exponent = try place.number(3...65537)
            guard exponent == 3 || exponent == 65537 else { throw place.wrong(ProfileFault.exponent(exponent)) }
            return exponent
        }
        try members.take("pinEnciphermentKey", &profile.hasPINEnciphermentKey) { place throws(DocumentError) in
            try place.flag()
        }
        try members.takeOrNull("curve", &profile.ellipticCurve) { place throws(DocumentError) in
            try place.choice(curves)
        }
    }

    static func json(_ profile: CardProfile) -> JSON {
        .object([
            "authorityIndex": .hex([profile.caPublicKeyIndex]),
            "authorityBits": .number(profile.keySizes.certificationAuthority),
            "issuerBits": .number(profile.keySizes.issuer), "iccBits": .number(profile.keySizes.icc),
            "exponent": .number(profile.keySizes.exponent), "pinEnciphermentKey": .flag(profile.hasPINEnciphermentKey),
            "curve": .orNull(profile.ellipticCurve) { .name($0, curves) },
        ])
    }
}

/// The issuer's master keys, marked as test keys.
extension MasterKeySet {
    /// Keys for the cipher of the cryptogram version.
    init(_ place: Place, _ cipher: CardKey.Cipher) throws(DocumentError) {
        let members = try place.members(["applicationCryptogram", "integrity", "confidentiality"])
        func key(_ place: Place) throws(DocumentError) -> CardKey {
            let bytes = try place.bytes(cipher == .aes ? 16...32 : 16...16, isSecret: true)
            guard let key = try? CardKey(SecretBytes(bytes), cipher) else { throw place.wrong(ProfileFault.masterKey) }
            return key
        }
        self.init(
            applicationCryptogram: try key(members.required("applicationCryptogram")),
            integrity: try key(members.required("integrity")),
            confidentiality: try key(members.required("confidentiality")))
    }

    var json: JSON {
        .object([
            "applicationCryptogram": .hex(applicationCryptogram.bytes.revealed()),
            "integrity": .hex(integrity.bytes.revealed()),
            "confidentiality": .hex(confidentiality.bytes.revealed()),
        ])
    }
}

extension CryptogramScheme {
    static let names: [(String, CryptogramScheme)] = [
        ("visa10", .visa10), ("visa18", .visa18), ("visa22", .visa22), ("mastercard10", .mastercard10),
        ("mastercard11", .mastercard11),
        ("mastercard14", .mastercard14), ("mastercard15", .mastercard15), ("interac85", .interac85),
        ("unionPay01", .unionPay01),
        ("commonCoreTDES", .commonCoreTDES), ("commonCoreAES", .commonCoreAES),
    ]
}

private import Bytes
public import CardCryptography
public import TLV

/// The methods of offline data authentication (EMV 4.4 Book 2, 5, 6 and 12).
public enum DataAuthenticationMethod: Sendable, Equatable {
    /// Static data authentication: a signature of the issuer on the card's records (Book 2, 5).
    case sda
    /// Dynamic data authentication: the card signs an unpredictable number of the terminal (Book 2,
    /// 6.5).
    case dda
    /// Combined data authentication: the card's RSA signature covers its cryptogram (Book 2, 6.6).
    case cda
    /// Extended data authentication: the same with elliptic curves (Book 2, 12).
    case xda

    /// The abbreviation as the books write it: `SDA`, `DDA`, `CDA` or `XDA`.
    public var name: String {
        switch self {
        case .sda: "SDA"
        case .dda: "DDA"
        case .cda: "CDA"
        case .xda: "XDA"
        }
    }

    /// The best method that card and terminal share: XDA, else CDA, else DDA, else SDA (EMV 4.4
    /// Book 3, 10.3).
    static func choose(_ profile: ApplicationInterchangeProfile, _ capabilities: TerminalCapabilities)
        -> DataAuthenticationMethod?
    {
        if profile.contains(.xdaSupported) && capabilities.contains(.xda) { return .xda }
        if profile.contains(.cdaSupported) && capabilities.contains(.cda) { return .cda }
        if profile.contains(.ddaSupported) && capabilities.contains(.dda) { return .dda }
        if profile.contains(.sdaSupported) && capabilities.contains(.sda) { return .sda }
        return nil
    }

    /// The bit of the TVR that a failure sets. XDA has one bit for the authority's key and one for
    /// the keys below it.
    func bit(for failure: DataAuthenticationFailure) -> TerminalVerificationResults {
        switch self {
        case .sda: .sdaFailed
        case .dda: .ddaFailed
        case .cda: .cdaFailed
        case .xda: failure.isAboutTheAuthority ? .caECCKeyMissing : .eccKeyRecoveryFailed
        }
    }

    /// The data objects that a card must have for the method; if one is absent, "ICC data missing"
    /// is set (EMV 4.4 Book 3, 7.5, table 35).
    var mandatoryTags: [Tag] {
        switch self {
        case .sda:
            [
                .caPublicKeyIndexCard, .issuerPublicKeyCertificate, .issuerPublicKeyExponent,
                .signedStaticApplicationData,
            ]
        case .dda, .cda:
            [
                .caPublicKeyIndexCard, .issuerPublicKeyCertificate, .issuerPublicKeyExponent, .iccPublicKeyCertificate,
                .iccPublicKeyExponent,
            ]
        case .xda: [.caPublicKeyIndexCard, .issuerPublicKeyCertificate, .iccPublicKeyCertificate]
        }
    }
}

/// Why offline data authentication failed.
public enum DataAuthenticationFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The terminal has no CA key of this RID and index, or none for the method.
    case unknownCAKey(rid: [UInt8], index: UInt8)
    /// The CA key has expired.
    case expiredCAKey
    /// Data that the method needs are missing on the card; this also sets "ICC data missing".
    case missingData(Tag)
    /// Records to be authenticated are not coded in template 70 (EMV 4.4 Book 3, 10.3).
    case unusableRecord
    /// The static data authentication tag list contains a tag other than the AIP (EMV 4.4 Book 3,
    /// 10.3).
    case staticDataTagList
    /// The DDOL, the card's or the default, does not contain the unpredictable number (EMV 4.4 Book
    /// 2, 6.5.1).
    case ddolWithoutUnpredictableNumber
    /// The issuer's certificate, tag `90`, is invalid.
    case issuerCertificate(CertificateError)
    /// The card's certificate, tag `9F46`, is invalid.
    case iccCertificate(CertificateError)
    /// The signature on static data (tag `93`), dynamic data or cryptogram (tag `9F4B`) is invalid.
    case signature(CertificateError)
    /// The card answered a GENERATE AC with CDA or XDA without signature (EMV 4.4 Book 3, 9.3; Book
    /// 4, 6.3.2).
    case unsignedCryptogram

    /// Whether the authority's key failed, which XDA reports separately (EMV 4.4 Book 2, 12.2).
    var isAboutTheAuthority: Bool {
        switch self {
        case .unknownCAKey, .expiredCAKey, .missingData(.caPublicKeyIndexCard): true
        default: false
        }
    }

    public var description: String {
        switch self {
        case .unknownCAKey(let rid, let index): "no CA public key \(rid.hex) \(index.hex) is configured"
        case .expiredCAKey: "the CA public key is past its date"
        case .missingData(let tag): "the card gives no \(tag) (\(TagDictionary[tag]?.name ?? "unknown"))"
        case .unusableRecord: "a record to be authenticated is not in template 70"
        case .staticDataTagList: "the static data authentication tag list names more than the AIP"
        case .ddolWithoutUnpredictableNumber: "the DDOL does not ask for the unpredictable number"
        case .issuerCertificate(let error): "issuer certificate: \(error)"
        case .iccCertificate(let error): "ICC certificate: \(error)"
        case .signature(let error): "signature: \(error)"
        case .unsignedCryptogram: "the card did not sign its cryptogram"
        }
    }
}

/// The results for certificates and signatures in a log, derived from the TVR that its terminal
/// sent.
package struct LoggedAuthentication: Sendable {
    /// The TVR in the first and in the last GENERATE AC.
    private let first, last: TerminalVerificationResults

    package init(first: TerminalVerificationResults, last: TerminalVerificationResults) {
        self.first = first
        self.last = last
    }

    /// Whether `method` had failed before the first cryptogram.
    func fails(_ method: DataAuthenticationMethod) -> Bool {
        switch method {
        case .sda: first.contains(.sdaFailed)
        case .dda: first.contains(.ddaFailed)
        case .cda: first.contains(.cdaFailed)
        case .xda:
            !first.isDisjoint(with: [.caECCKeyMissing, .eccKeyRecoveryFailed]) || last.contains(.eccKeyRecoveryFailed)
        }
    }

    /// Whether the signature on the first cryptogram was wrong. A log does not show the result for
    /// the second.
    func failsWithCryptogram(_ isFirst: Bool) -> Bool {
        isFirst && !last.isDisjoint(with: [.cdaFailed, .xdaSignatureFailed])
    }
}

/// The input and the results of offline data authentication.
struct DataAuthentication {
    /// The card's key, after its certificates were verified.
    enum CardKey {
        case rsa(RSAPublicKey)
        case ellipticCurve(ECICCPublicKey<SignatureSuite>)
    }

    var method: DataAuthenticationMethod?
    var staticData = StaticData()
    var cardKey: CardKey?
    /// Why there is no key, or why the card's signature is wrong. With CDA and XDA it decides the
    /// transaction regardless of the cryptogram.
    var failure: DataAuthenticationFailure?
    /// The signature on the second cryptogram is wrong or missing, which declines. It is not
    /// checked if the first was wrong: the issuer already knew (EMV 4.4 Book 4, 6.3.2.2.4).
    var finalSignatureFailed = false
    /// The results in a replayed log; nil in a terminal.
    var logged: LoggedAuthentication?
    /// The results of the log that are used because the authority's key is missing; nil otherwise.
    var assumed: LoggedAuthentication?
    /// The signature to request with GENERATE AC: CDA only if it has not failed before, XDA always
    /// (EMV 4.4 Book 2, 12.5.1).
    var signature: CryptogramSignature?
}

/// The signature that GENERATE AC requests: bits 5–4 of its reference control parameter (EMV 4.4
/// Book 3, table 12).
enum CryptogramSignature: UInt8 {
    case cda = 0x10
    case xda = 0x08
}

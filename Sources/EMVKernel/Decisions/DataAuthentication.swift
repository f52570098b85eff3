private import Bytes
public import CardCryptography
public import TLV

/// The ways of offline data authentication (EMV 4.4 Book 2, 5 and 6).
public enum DataAuthenticationMethod: Sendable, Equatable {
    case sda, dda, cda

    public var name: String {
        switch self {
        case .sda: "SDA"
        case .dda: "DDA"
        case .cda: "CDA"
        }
    }

    /// The best method that card and terminal share: CDA, else DDA, else SDA (EMV 4.4 Book 3, 10.3).
    static func choose(_ profile: ApplicationInterchangeProfile, _ capabilities: TerminalCapabilities) -> DataAuthenticationMethod? {
        if profile.contains(.cdaSupported) && capabilities.contains(.cda) { return .cda }
        if profile.contains(.ddaSupported) && capabilities.contains(.dda) { return .dda }
        if profile.contains(.sdaSupported) && capabilities.contains(.sda) { return .sda }
        return nil
    }

    /// The bit of the TVR that its failure sets.
    var failureBit: TerminalVerificationResults {
        switch self {
        case .sda: .sdaFailed
        case .dda: .ddaFailed
        case .cda: .cdaFailed
        }
    }
}

/// Why offline data authentication failed.
public enum DataAuthenticationFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The terminal has no CA key of this RID and index.
    case unknownCAKey(rid: [UInt8], index: UInt8)
    /// The CA key's own date has passed.
    case expiredCAKey
    /// Data that the method needs are missing on the card; this also sets "ICC data missing".
    case missingData(Tag)
    /// Records to be authenticated are not coded in template 70 (EMV 4.4 Book 3, 10.3).
    case unusableRecord
    /// The static data authentication tag list names something else than the AIP (EMV 4.4 Book 3, 10.3).
    case staticDataTagList
    /// The DDOL, the card's or the default, does not ask for the unpredictable number (EMV 4.4 Book 2, 6.5.1).
    case ddolWithoutUnpredictableNumber
    case issuerCertificate(CertificateError)
    case iccCertificate(CertificateError)
    case signature(CertificateError)
    /// INTERNAL AUTHENTICATE failed or its answer is malformed.
    case noSignature
    /// The card answered a GENERATE AC with CDA without signature (EMV 4.4 Book 2, 6.6.2).
    case unsignedCryptogram

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
        case .noSignature: "the card gave no signature"
        case .unsignedCryptogram: "the card did not sign its cryptogram"
        }
    }
}

/// What offline data authentication works on and has found.
struct DataAuthentication {
    var method: DataAuthenticationMethod?
    var staticData = StaticData()
    /// The card's key, once its certificates are right.
    var iccKey: RSAPublicKey?
    /// CDA is possible and has not failed yet, so it is asked for with GENERATE AC.
    var wantsCombinedSignature = false
    /// The card's signature on a cryptogram was wrong or missing, which decides the transaction whatever the cryptogram says.
    var combinedSignatureFailed = false
}

/// The issuer public key certificate (tag 90), signed by a certification authority (EMV 4.4 Book 2,
/// 5.3 and 6.3).
public enum IssuerPublicKeyCertificate {
    /// Verifies length, trailer, header, format, hash and algorithm indicators (steps 1–7, 11, 12)
    /// and returns the issuer's key.
    ///
    /// Steps 8 to 10 need more than the certificate: see ``IssuerPublicKey/matches(pan:)``,
    /// ``IssuerPublicKey/expiry`` and ``CertificateRevocation``.
    ///
    /// - Parameters:
    ///   - remainder: tag 92, empty or nil if the card has none.
    ///   - exponent: tag 9F32.
    public static func recover(
        certificate: Span<UInt8>, remainder: [UInt8]?, exponent: [UInt8], with ca: CAPublicKey
    ) throws(CertificateError) -> IssuerPublicKey {
        guard case .rsa(let signer) = ca.key else { throw .unsupportedAlgorithm }
        let recovered = try PublicKeyCertificate.recover(
            certificate, remainder: remainder ?? [], exponent: exponent, staticData: [], signer: signer, profile: .issuer)
        return IssuerPublicKey(key: recovered.key, fields: recovered.fields)
    }

    /// - Parameter certificate: tag 90.
    public static func recover(
        certificate: [UInt8], remainder: [UInt8]?, exponent: [UInt8], with ca: CAPublicKey
    ) throws(CertificateError) -> IssuerPublicKey {
        try recover(certificate: certificate.span, remainder: remainder, exponent: exponent, with: ca)
    }
}

/// An issuer's public key and the other data of its certificate.
public struct IssuerPublicKey: Sendable, Equatable {
    public let key: RSAPublicKey
    /// The leftmost 3 to 8 digits of the issuer's PANs, format cn, padded with hexadecimal F. 4
    /// bytes.
    public var issuerIdentifier: [UInt8] { Array(fields.identity) }
    /// The last month of validity: MMYY, format n. 2 bytes.
    public var expiry: [UInt8] { Array(fields.expiry) }
    /// The number that the certification authority assigned to the certificate. 3 bytes.
    public var serialNumber: [UInt8] { Array(fields.serialNumber) }
    let fields: CertifiedFields

    /// The same, to be used for the certificates of many cards.
    package var kept: IssuerPublicKey { IssuerPublicKey(key: key.kept, fields: fields) }
}

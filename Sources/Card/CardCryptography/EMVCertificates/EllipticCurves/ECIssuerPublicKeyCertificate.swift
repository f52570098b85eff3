/// The issuer public key certificate of XDA (tag 90, EMV 4.4 Book 2, 12.3, table 35): 12 ‖ 00 ‖
/// issuer identifier (5) ‖ signature suite ‖ expiry YYYYMMDD (4) ‖ serial (3) ‖ RID (5) ‖ CA key
/// index ‖ x (NFIELD) ‖ signature.
public enum ECIssuerPublicKeyCertificate {
    static let format: UInt8 = 0x12
    /// Bytes before the key.
    static let prefixCount = 21

    /// Verifies format, encoding, length, authority, suite and signature (steps 1–3, 6, 8–12) and
    /// returns the issuer's key.
    ///
    /// Steps 4, 5 and 7 need more than the certificate: see ``ECIssuerPublicKey/matches(pan:)``,
    /// ``ECIssuerPublicKey/expiry`` and ``CertificateRevocation``.
    ///
    /// - Parameter certificate: tag 90.
    public static func recover(_ certificate: [UInt8], with ca: CAPublicKey) throws(CertificateError)
        -> ECIssuerPublicKey
    {
        guard case .ellipticCurve(let caKey, let caSuite) = ca.key else { throw .unsupportedAlgorithm }
        guard certificate.count >= prefixCount else { throw .lengthMismatch }
        guard certificate[0] == format else { throw .format }
        guard certificate[1] == ECCAPublicKeyCertificate.encoding else { throw .encoding }
        guard Array(certificate[15..<20]) == ca.rid, certificate[20] == ca.index else { throw .authority }
        guard let suite = SignatureSuite(rawValue: certificate[7]) else { throw .unsupportedAlgorithm }
        let signedCount = prefixCount + suite.curve.fieldCount
        guard certificate.count == signedCount + caSuite.signatureCount else { throw .lengthMismatch }
        guard caSuite.isValid(Array(certificate[signedCount...]), on: Array(certificate[..<signedCount]), by: caKey)
        else {
            throw .signature
        }
        return ECIssuerPublicKey(
            key: try CertificateError.key(suite.curve, x: Array(certificate[prefixCount..<signedCount])), suite: suite,
            issuerIdentifier: Array(certificate[2..<7]), expiry: CertificateDate(yyyymmdd: Array(certificate[8..<12])),
            serialNumber: Array(certificate[12..<15]))
    }

    /// Makes tag 90 for an issuer's key.
    ///
    /// - Parameters:
    ///   - issuerIdentifier: leftmost 3 to 10 PAN digits, cn, padded with F; 5 bytes.
    ///   - expiry: YYYYMMDD, format n, 4 bytes.
    ///   - serialNumber: 3 bytes.
    ///   - ca: RID and index of the authority's key, and its suite.
    public static func issue(
        for key: ECPublicKey, suite: SignatureSuite, issuerIdentifier: [UInt8], expiry: [UInt8], serialNumber: [UInt8],
        ca: (rid: [UInt8], index: UInt8, suite: SignatureSuite), by authority: ECPrivateKey
    ) throws(IssuingError) -> [UInt8] {
        try IssuingError.check(issuerIdentifier, count: 5)
        try IssuingError.check(expiry, count: 4)
        try IssuingError.check(serialNumber, count: 3)
        try IssuingError.check(ca.rid, count: 5)
        let content =
            [format, ECCAPublicKeyCertificate.encoding] + issuerIdentifier + [suite.rawValue] + expiry + serialNumber
            + ca.rid
            + [ca.index] + key.x
        return try ca.suite.append(to: content, by: authority)
    }
}

/// An issuer's elliptic curve key and the other data of its certificate.
public struct ECIssuerPublicKey: Sendable, Equatable {
    public let key: ECPublicKey
    /// The suite of the issuer's signatures.
    public let suite: SignatureSuite
    /// The leftmost 3 to 10 digits of the issuer's PANs, format cn, padded with hexadecimal F. 5
    /// bytes.
    public let issuerIdentifier: [UInt8]
    /// The last day of the certificate; nil if it is not a date, which counts as expired.
    public let expiry: CertificateDate?
    /// 3 bytes.
    public let serialNumber: [UInt8]
}

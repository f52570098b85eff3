/// The self-signed certificate with which a payment system distributes an elliptic curve key (EMV
/// 4.4 Book 2, 11.2.1, table 29): 20 ‖ 00 ‖ RID (5) ‖ index ‖ signature suite ‖ x (NFIELD) ‖
/// signature.
public enum ECCAPublicKeyCertificate {
    static let format: UInt8 = 0x20
    static let encoding: UInt8 = 0x00
    /// Bytes before the key.
    static let prefixCount = 9

    /// Verifies the signature of `certificate` and returns its key.
    ///
    /// - Parameter isTest: As in ``CAPublicKey``.
    public static func recover(
        _ certificate: [UInt8], expiry: CertificateDate? = nil, isTest: Bool = false
    ) throws(CertificateError) -> CAPublicKey {
        guard certificate.count > prefixCount else { throw .lengthMismatch }
        guard certificate[0] == format else { throw .format }
        guard certificate[1] == encoding else { throw .encoding }
        guard let suite = SignatureSuite(rawValue: certificate[8]) else { throw .unsupportedAlgorithm }
        let signedCount = prefixCount + suite.curve.fieldCount
        guard certificate.count == signedCount + suite.signatureCount else { throw .lengthMismatch }
        let key = try CertificateError.key(suite.curve, x: Array(certificate[prefixCount..<signedCount]))
        guard suite.isValid(Array(certificate[signedCount...]), on: Array(certificate[..<signedCount]), by: key) else {
            throw .signature
        }
        return CAPublicKey(
            rid: Array(certificate[2..<7]), index: certificate[7], key: .ellipticCurve(key, suite), expiry: expiry,
            isTest: isTest)
    }

    /// Makes the certificate of a key.
    ///
    /// - Parameter rid: 5 bytes.
    public static func issue(
        rid: [UInt8], index: UInt8, suite: SignatureSuite, by key: ECPrivateKey
    ) throws(IssuingError) -> [UInt8] {
        try IssuingError.check(rid, count: 5)
        return try suite.append(to: [format, encoding] + rid + [index, suite.rawValue] + key.publicKey.x, by: key)
    }
}

extension SignatureSuite {
    /// `content` with its signature appended.
    func append(to content: [UInt8], by key: ECPrivateKey) throws(IssuingError) -> [UInt8] {
        do { return content + (try sign(content, by: key)) } catch { throw .curveKey(error) }
    }
}

extension CertificateError {
    static func key(_ curve: EllipticCurve, x: [UInt8]) throws(CertificateError) -> ECPublicKey {
        do { return try ECPublicKey(curve, x: x) } catch { throw .curveKey(error) }
    }
}

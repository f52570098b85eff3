/// The certificates an issuer signs for a card's keys: the ICC public key (tag 9F46, EMV 4.4 Book
/// 2, 6.4) and the ICC PIN encipherment public key (tag 9F2D, 7.1), which differ in the hashed
/// data.
public enum ICCPublicKeyCertificate {
    /// Verifies length, trailer, header, format, hash and algorithm indicators (6.4 steps 1–7, 10,
    /// 11) and returns the card's key.
    ///
    /// - Parameters:
    ///   - certificate: tag 9F46.
    ///   - remainder: tag 9F48, empty or nil if the card has none.
    ///   - exponent: tag 9F47.
    ///   - staticData: the static data to be authenticated (Book 3, 10.3), including the AIP if tag
    ///     9F4A lists it.
    public static func recover(
        certificate: Span<UInt8>, remainder: [UInt8]?, exponent: [UInt8], with issuer: RSAPublicKey, staticData: [UInt8]
    ) throws(CertificateError) -> ICCPublicKey {
        let recovered = try PublicKeyCertificate.recover(
            certificate, remainder: remainder ?? [], exponent: exponent, staticData: staticData, signer: issuer, profile: .icc)
        return ICCPublicKey(key: recovered.key, fields: recovered.fields)
    }

    /// - Parameter certificate: tag 9F46.
    public static func recover(
        certificate: [UInt8], remainder: [UInt8]?, exponent: [UInt8], with issuer: RSAPublicKey, staticData: [UInt8]
    ) throws(CertificateError) -> ICCPublicKey {
        try recover(certificate: certificate.span, remainder: remainder, exponent: exponent, with: issuer, staticData: staticData)
    }

    /// The card's key for enciphered PINs (7.1): the hash of its certificate does not cover static
    /// data.
    ///
    /// - Parameters:
    ///   - certificate: tag 9F2D.
    ///   - remainder: tag 9F2F, empty or nil if the card has none.
    ///   - exponent: tag 9F2E.
    public static func recoverPINEncipherment(
        certificate: [UInt8], remainder: [UInt8]?, exponent: [UInt8], with issuer: RSAPublicKey
    ) throws(CertificateError) -> ICCPublicKey {
        try recover(certificate: certificate.span, remainder: remainder, exponent: exponent, with: issuer, staticData: [])
    }
}

/// A card's public key and the other data of its certificate.
public struct ICCPublicKey: Sendable, Equatable {
    public let key: RSAPublicKey
    /// The application PAN, format cn, padded with hexadecimal F. 10 bytes.
    public var pan: [UInt8] { Array(fields.identity) }
    /// The last month of validity: MMYY, format n. 2 bytes.
    public var expiry: [UInt8] { Array(fields.expiry) }
    /// The number that the issuer assigned to the certificate. 3 bytes.
    public var serialNumber: [UInt8] { Array(fields.serialNumber) }
    let fields: CertifiedFields
}

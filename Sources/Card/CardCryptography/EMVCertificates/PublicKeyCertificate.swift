internal import Bytes

/// The common part of the issuer and the ICC public key certificates (EMV 4.4 Book 2, tables 6 and
/// 14).
///
/// Recovered, with an identity of `identityCount` bytes: 6A ‖ format ‖ identity ‖ expiry (MMYY) ‖
/// serial (3) ‖ hash algorithm ‖ key algorithm ‖ modulus length ‖ exponent length ‖ leftmost part
/// of the modulus ‖ hash (20) ‖ BC. The part of the modulus that does not fit is the remainder; a
/// shorter modulus is padded with BB.
struct PublicKeyCertificate {
    /// Bytes of the fixed fields without the identity.
    static let fixedCount = 32

    let fields: CertifiedFields
    let key: RSAPublicKey

    struct Profile {
        let format: UInt8
        let identityCount: Int

        var overhead: Int { fixedCount + identityCount }

        /// Whether the identity is the card's number.
        var hasCardNumber: Bool { identityCount == 10 }

        static let issuer = Profile(format: 0x02, identityCount: 4)
        static let icc = Profile(format: 0x04, identityCount: 10)
    }

    /// - Parameter staticData: data that are hashed after the certificate's; empty for issuer and
    ///   PIN encipherment keys.
    static func recover(
        _ certificate: Span<UInt8>, remainder: [UInt8], exponent: [UInt8], staticData: [UInt8], signer: RSAPublicKey,
        profile: Profile
    ) throws(CertificateError) -> PublicKeyCertificate {
        let block = try RecoveredBlock(
            certificate, key: signer, format: profile.format, overhead: profile.overhead,
            isSecret: profile.hasCardNumber)
        // The block wipes its bytes when nobody else has them.
        defer { withExtendedLifetime(block) {} }
        let bytes = block.bytes
        let algorithms = 2 + profile.identityCount + CertifiedFields.countAfterIdentity
        guard !remainder.isEmpty || Int(bytes[algorithms + 2]) <= bytes.count - profile.overhead else {
            throw .remainderMissing
        }
        try block.checkHash(algorithm: bytes[algorithms], with: remainder, exponent, staticData)
        guard bytes[algorithms + 1] == PublicKeyAlgorithmIndicator.rsa else { throw .unsupportedAlgorithm }
        let modulusCount = Int(bytes[algorithms + 2])
        let inside = min(modulusCount, bytes.count - profile.overhead)
        guard remainder.count == modulusCount - inside, exponent.count == Int(bytes[algorithms + 3]) else {
            throw .innerLength
        }
        let modulusStart = algorithms + 4
        var modulus = Array(bytes[modulusStart..<modulusStart + inside])
        modulus.append(contentsOf: remainder)
        do {
            return PublicKeyCertificate(
                fields: CertifiedFields(bytes: Wiped(Array(bytes[2..<algorithms]))),
                key: try RSAPublicKey(modulus: modulus, exponent: exponent))
        } catch {
            throw .key(error)
        }
    }
}

/// What a certificate says of its key: identity, expiry and serial number, as they lie in it one
/// after the other.
struct CertifiedFields: Sendable, Equatable {
    /// Bytes of expiry and serial number.
    static let countAfterIdentity = 5

    @Wiped var bytes: [UInt8]

    /// The issuer identifier or the PAN, format cn.
    var identity: ArraySlice<UInt8> { bytes.dropLast(Self.countAfterIdentity) }
    /// MMYY, format n. 2 bytes.
    var expiry: ArraySlice<UInt8> { bytes.suffix(Self.countAfterIdentity).prefix(2) }
    /// 3 bytes.
    var serialNumber: ArraySlice<UInt8> { bytes.suffix(3) }

    /// Nil if the expiry is not a month.
    var lastDay: CertificateDate? {
        CertificateDate(endOfMonth: expiry[expiry.startIndex], year: expiry[expiry.startIndex + 1])
    }
}

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
            certificate, remainder: remainder ?? [], exponent: exponent, staticData: [], signer: signer,
            profile: .issuer)
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
            certificate, remainder: remainder ?? [], exponent: exponent, staticData: staticData, signer: issuer,
            profile: .icc)
        return ICCPublicKey(key: recovered.key, fields: recovered.fields)
    }

    /// - Parameter certificate: tag 9F46.
    public static func recover(
        certificate: [UInt8], remainder: [UInt8]?, exponent: [UInt8], with issuer: RSAPublicKey, staticData: [UInt8]
    ) throws(CertificateError) -> ICCPublicKey {
        try recover(
            certificate: certificate.span, remainder: remainder, exponent: exponent, with: issuer,
            staticData: staticData)
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
        try recover(
            certificate: certificate.span, remainder: remainder, exponent: exponent, with: issuer, staticData: [])
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

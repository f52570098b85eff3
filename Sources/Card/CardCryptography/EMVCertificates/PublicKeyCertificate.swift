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
        _ certificate: Span<UInt8>, remainder: [UInt8], exponent: [UInt8], staticData: [UInt8], signer: RSAPublicKey, profile: Profile
    ) throws(CertificateError) -> PublicKeyCertificate {
        let block = try RecoveredBlock(
            certificate, key: signer, format: profile.format, overhead: profile.overhead, isSecret: profile.hasCardNumber)
        // The block wipes its bytes when nobody else has them.
        defer { withExtendedLifetime(block) {} }
        let bytes = block.bytes
        let algorithms = 2 + profile.identityCount + CertifiedFields.countAfterIdentity
        guard !remainder.isEmpty || Int(bytes[algorithms + 2]) <= bytes.count - profile.overhead else { throw .remainderMissing }
        try block.checkHash(algorithm: bytes[algorithms], with: remainder, exponent, staticData)
        guard bytes[algorithms + 1] == PublicKeyAlgorithmIndicator.rsa else { throw .unsupportedAlgorithm }
        let modulusCount = Int(bytes[algorithms + 2])
        let inside = min(modulusCount, bytes.count - profile.overhead)
        guard remainder.count == modulusCount - inside, exponent.count == Int(bytes[algorithms + 3]) else { throw .innerLength }
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
    var lastDay: CertificateDate? { CertificateDate(endOfMonth: expiry[expiry.startIndex], year: expiry[expiry.startIndex + 1]) }
}

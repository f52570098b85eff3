/// The public key certificate of a card with an elliptic curve key, for signatures (tag 9F46) or
/// for encipherment (tag 9F2D) (EMV 4.4 Book 2, 12.4, table 36): 14 ‖ 00 ‖ suite ‖ expiry YYYYMMDD
/// HHMM (6) ‖ serial (6) ‖ 00 ‖ hash algorithm ‖ hash of the issuer certified card data ‖ x
/// (NFIELD) ‖ signature.
public enum ECICCPublicKeyCertificate {
    static let format: UInt8 = 0x14
    /// The encoding of the card data before hashing.
    private enum CardDataEncoding: UInt8 {
        /// Issuer certified card data.
        case certified = 0x00
        /// Data objects followed by the value of the AIP, for kernel 8 (EMV Contactless Book E,
        /// 5.3).
        case kernel8 = 0x01
    }

    /// Bytes before the hash.
    static let prefixCount = 17

    /// Verifies everything except the expiry (steps 1–3, 5–11) and returns the card's key for
    /// signatures.
    ///
    /// - Parameters:
    ///   - certificate: tag 9F46.
    ///   - cardData: the issuer certified card data (Book 3, 10.3).
    public static func recover(
        _ certificate: [UInt8], with issuer: ECIssuerPublicKey, cardData: [UInt8]
    ) throws(CertificateError) -> ECICCPublicKey<SignatureSuite> {
        try recover(
            certificate, with: issuer, encoding: .certified, hash: { $0.hash(cardData) },
            suite: SignatureSuite.init(rawValue:),
            curve: \.curve)
    }

    /// Verifies everything except the expiry and returns the card's key for offline data
    /// encipherment.
    ///
    /// - Parameters:
    ///   - certificate: tag 9F2D.
    ///   - cardData: the issuer certified card data (Book 3, 10.3).
    public static func recoverEncipherment(
        _ certificate: [UInt8], with issuer: ECIssuerPublicKey, cardData: [UInt8]
    ) throws(CertificateError) -> ECICCPublicKey<EnciphermentSuite> {
        try recover(
            certificate, with: issuer, encoding: .certified, hash: { $0.hash(cardData) },
            suite: EnciphermentSuite.init(rawValue:),
            curve: \.curve)
    }

    /// Verifies everything except the expiry and returns the card's key for the secure channel of
    /// kernel 8 (EMV Contactless Book E, 5.4).
    ///
    /// - Parameters:
    ///   - certificate: tag 9F46.
    ///   - staticDataHash: SHA-256 over the static data, 32 bytes; no other hash is defined.
    package static func recoverChannelKey(
        _ certificate: [UInt8], with issuer: ECIssuerPublicKey, staticDataHash: [UInt8]
    ) throws(CertificateError) -> ECICCPublicKey<EnciphermentSuite> {
        try recover(
            certificate, with: issuer, encoding: .kernel8, hash: { $0 == .sha256 ? staticDataHash : [] },
            suite: EnciphermentSuite.init(rawValue:), curve: \.curve)
    }

    private static func recover<Suite>(
        _ certificate: [UInt8], with issuer: ECIssuerPublicKey, encoding: CardDataEncoding,
        hash: (CardDataHash) -> [UInt8],
        suite: (UInt8) -> Suite?, curve: (Suite) -> EllipticCurve
    ) throws(CertificateError) -> ECICCPublicKey<Suite> {
        guard certificate.count >= prefixCount else { throw .lengthMismatch }
        guard certificate[0] == format else { throw .format }
        guard certificate[1] == ECCAPublicKeyCertificate.encoding, certificate[15] == encoding.rawValue else {
            throw .encoding
        }
        guard let suite = suite(certificate[2]) else { throw .unsupportedAlgorithm }
        guard let algorithm = CardDataHash(rawValue: certificate[16]) else { throw .hashAlgorithm }
        let keyStart = prefixCount + algorithm.count
        let signedCount = keyStart + curve(suite).fieldCount
        guard certificate.count == signedCount + issuer.suite.signatureCount else { throw .lengthMismatch }
        guard hash(algorithm) == Array(certificate[prefixCount..<keyStart]) else { throw .hash }
        guard
            issuer.suite.isValid(
                Array(certificate[signedCount...]), on: Array(certificate[..<signedCount]), by: issuer.key)
        else {
            throw .signature
        }
        return ECICCPublicKey(
            key: try CertificateError.key(curve(suite), x: Array(certificate[keyStart..<signedCount])), suite: suite,
            expiryDate: CertificateDate(yyyymmdd: Array(certificate[3..<7])), expiryTime: Array(certificate[7..<9]),
            serialNumber: Array(certificate[9..<15]))
    }

    /// Makes tag 9F46 for a card's key.
    ///
    /// - Parameters:
    ///   - expiry: YYYYMMDDHHMM, format n, 6 bytes.
    ///   - serialNumber: 6 bytes.
    ///   - cardData: the issuer certified card data (Book 3, 10.3).
    public static func issue(
        for key: ECPublicKey, suite: SignatureSuite, expiry: [UInt8], serialNumber: [UInt8], cardData: [UInt8],
        cardDataHash: CardDataHash = .sha256, issuerSuite: SignatureSuite, by issuer: ECPrivateKey
    ) throws(IssuingError) -> [UInt8] {
        try issue(
            for: key, suite: suite.rawValue, expiry: expiry, serialNumber: serialNumber,
            hashed: [CardDataEncoding.certified.rawValue, cardDataHash.rawValue] + cardDataHash.hash(cardData),
            issuerSuite: issuerSuite,
            by: issuer)
    }

    /// Makes tag 9F2D for a card's key for encipherment.
    ///
    /// The parameters are those of
    /// ``issue(for:suite:expiry:serialNumber:cardData:cardDataHash:issuerSuite:by:)``.
    public static func issueEncipherment(
        for key: ECPublicKey, suite: EnciphermentSuite, expiry: [UInt8], serialNumber: [UInt8], cardData: [UInt8],
        cardDataHash: CardDataHash = .sha256, issuerSuite: SignatureSuite, by issuer: ECPrivateKey
    ) throws(IssuingError) -> [UInt8] {
        try issue(
            for: key, suite: suite.rawValue, expiry: expiry, serialNumber: serialNumber,
            hashed: [CardDataEncoding.certified.rawValue, cardDataHash.rawValue] + cardDataHash.hash(cardData),
            issuerSuite: issuerSuite,
            by: issuer)
    }

    /// Makes tag 9F46 for a card's key for the secure channel of kernel 8 (EMV Contactless Book E,
    /// 5.3).
    ///
    /// - Parameters:
    ///   - expiry: YYYYMMDDHHMM, format n, 6 bytes.
    ///   - serialNumber: 6 bytes.
    ///   - staticDataHash: SHA-256 over the static data, 32 bytes.
    package static func issueChannel(
        for key: ECPublicKey, suite: EnciphermentSuite, expiry: [UInt8], serialNumber: [UInt8], staticDataHash: [UInt8],
        issuerSuite: SignatureSuite, by issuer: ECPrivateKey
    ) throws(IssuingError) -> [UInt8] {
        try IssuingError.check(staticDataHash, count: 32)
        return try issue(
            for: key, suite: suite.rawValue, expiry: expiry, serialNumber: serialNumber,
            hashed: [CardDataEncoding.kernel8.rawValue, CardDataHash.sha256.rawValue] + staticDataHash,
            issuerSuite: issuerSuite, by: issuer
        )
    }

    private static func issue(
        for key: ECPublicKey, suite: UInt8, expiry: [UInt8], serialNumber: [UInt8], hashed: [UInt8],
        issuerSuite: SignatureSuite,
        by issuer: ECPrivateKey
    ) throws(IssuingError) -> [UInt8] {
        try IssuingError.check(expiry, count: 6)
        try IssuingError.check(serialNumber, count: 6)
        let head = [format, ECCAPublicKeyCertificate.encoding, suite] + expiry + serialNumber
        return try issuerSuite.append(to: head + hashed + key.x, by: issuer)
    }
}

/// A card's elliptic curve key and the other data of its certificate.
public struct ECICCPublicKey<Suite: Sendable & Equatable>: Sendable, Equatable {
    public let key: ECPublicKey
    /// The purpose of the key.
    public let suite: Suite
    /// The last day of the certificate; nil if it is not a date, which counts as expired.
    public let expiryDate: CertificateDate?
    /// The time on that day when the certificate expires, HHMM, format n, UTC. 2 bytes.
    public let expiryTime: [UInt8]
    /// 6 bytes.
    public let serialNumber: [UInt8]

    /// Whether the certificate has expired at a day and time (12.4 step 4).
    ///
    /// - Parameter time: HHMM, format n, 2 bytes.
    public func isExpired(on today: CertificateDate, at time: [UInt8]) -> Bool {
        guard let expiryDate else { return true }
        if expiryDate != today { return expiryDate < today }
        return !time.lexicographicallyPrecedes(expiryTime)
    }
}

/// The hash over the issuer certified card data, by EMV's indicator (EMV 4.4 Book 2, B2.3, table
/// 47).
public enum CardDataHash: UInt8, Sendable {
    case sha256 = 0x02
    case sha512 = 0x03

    /// Length in bytes.
    var count: Int { self == .sha256 ? 32 : 64 }

    func hash(_ data: [UInt8]) -> [UInt8] { self == .sha256 ? SHA256.hash(data) : SHA512.hash(data) }
}

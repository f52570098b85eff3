internal import Bytes

/// A certification authority public key in a terminal (EMV 4.4 Book 2, 11.2.2, tables 30 and 31).
public struct CAPublicKey: Sendable, Equatable {
    public enum Key: Sendable, Equatable {
        /// For SDA, DDA and CDA.
        case rsa(RSAPublicKey)
        /// For XDA; the suite is on the key's curve.
        case ellipticCurve(ECPublicKey, SignatureSuite)
    }

    /// The registered application provider identifier: the first 5 bytes of its AIDs.
    public let rid: [UInt8]
    /// The certification authority public key index, tag 8F or 9F22. One RID uses each index once,
    /// for all algorithms together.
    public let index: UInt8
    public let key: Key
    /// The last day the payment system plans to use the key, if the terminal keeps one.
    public let expiry: CertificateDate?
    private let isMarkedAsTest: Bool

    /// - Parameter isTest: Whether the private key is public or belongs to a virtual card.
    ///   Published test keys are recognised without it.
    public init(rid: [UInt8], index: UInt8, key: Key, expiry: CertificateDate? = nil, isTest: Bool = false) {
        self.rid = rid
        self.index = index
        if case .rsa(let key) = key { self.key = .rsa(key.kept) } else { self.key = key }
        self.expiry = expiry
        isMarkedAsTest = isTest
    }

    public init(rid: [UInt8], index: UInt8, key: RSAPublicKey, expiry: CertificateDate? = nil, isTest: Bool = false) {
        self.init(rid: rid, index: index, key: .rsa(key), expiry: expiry, isTest: isTest)
    }

    /// Whether cards with certificates under this key are test cards.
    public var isTest: Bool { isMarkedAsTest || PublishedTestKeys.authorities.contains(checksum.hex) }

    /// The check sum for delivery and storage of a key: SHA-1 of RID ‖ index ‖ modulus ‖ exponent
    /// (table 30), 20 bytes, or the suite's hash of RID ‖ index ‖ suite ‖ x ‖ y (table 31), 32 or
    /// 64 bytes.
    public var checksum: [UInt8] {
        switch key {
        case .rsa(let key): SHA1.hash(rid, [index], key.modulus, key.exponent)
        case .ellipticCurve(let key, let suite): suite.hash(rid, [index, suite.rawValue], key.x, key.point.y)
        }
    }

    /// Whether `checksum` is that of the key.
    public func hasChecksum(_ checksum: [UInt8]) -> Bool {
        self.checksum == checksum
    }

    /// Whether the last day of planned use is before `today`; false for a key without a date.
    public func isExpired(on today: CertificateDate) -> Bool {
        expiry.map { $0 < today } ?? false
    }
}

/// One entry of a terminal's certification revocation list (EMV 4.4 Book 2, 5.1.2): an issuer
/// certificate that must not be trusted.
///
/// A list is a `Set` of these; step 10 of 5.3 and 6.3 checks whether it contains the certificate's
/// entry.
public struct CertificateRevocation: Sendable, Hashable {
    /// The registered application provider identifier. 5 bytes.
    public let rid: [UInt8]
    /// The certification authority public key index, tag 8F.
    public let caKeyIndex: UInt8
    /// The issuer certificate's serial number. 3 bytes.
    public let serialNumber: [UInt8]

    public init(rid: [UInt8], caKeyIndex: UInt8, serialNumber: [UInt8]) {
        self.rid = rid
        self.caKeyIndex = caKeyIndex
        self.serialNumber = serialNumber
    }

    /// The entry that would revoke the certificate of `issuer`, signed by `ca`.
    public init(of issuer: IssuerPublicKey, signedBy ca: CAPublicKey) {
        self.init(rid: ca.rid, caKeyIndex: ca.index, serialNumber: issuer.serialNumber)
    }

    /// The entry that would revoke the elliptic curve certificate of `issuer`, signed by `ca`
    /// (12.1.1).
    public init(of issuer: ECIssuerPublicKey, signedBy ca: CAPublicKey) {
        self.init(rid: ca.rid, caKeyIndex: ca.index, serialNumber: issuer.serialNumber)
    }
}

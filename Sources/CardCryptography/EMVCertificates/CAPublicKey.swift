/// A certification authority public key in a terminal (EMV 4.4 Book 2, 11.2.2, table 25).
public struct CAPublicKey: Sendable, Equatable {
    /// The registered application provider identifier: the first 5 bytes of its AIDs.
    public let rid: [UInt8]
    /// The certification authority public key index, tag 8F or 9F22.
    public let index: UInt8
    public let key: RSAPublicKey
    /// The last day the payment system plans to use the key, if the terminal keeps one.
    public let expiry: CertificateDate?

    public init(rid: [UInt8], index: UInt8, key: RSAPublicKey, expiry: CertificateDate? = nil) {
        self.rid = rid
        self.index = index
        self.key = key
        self.expiry = expiry
    }

    /// SHA-1 of RID ‖ index ‖ modulus ‖ exponent, the check sum a key is delivered with (table 25). 20 bytes.
    public var checksum: [UInt8] {
        SHA1.hash(rid, [index], key.modulus, key.exponent)
    }

    /// Whether the key is the one `checksum` was computed over.
    public func hasChecksum(_ checksum: [UInt8]) -> Bool {
        self.checksum == checksum
    }

    /// Whether the key is past its planned use on `today`. A key without a date never is.
    public func isExpired(on today: CertificateDate) -> Bool {
        expiry.map { $0 < today } ?? false
    }
}

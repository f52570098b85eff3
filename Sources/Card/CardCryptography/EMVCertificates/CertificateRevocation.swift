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

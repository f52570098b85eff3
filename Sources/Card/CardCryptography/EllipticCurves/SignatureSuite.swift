/// A curve and a hash for signatures, by EMV's indicator (EMV 4.4 Book 2, B2.4.1, table 48). Other
/// values are assigned to SHA-3 and to the Chinese algorithms, which approved kernels need not
/// support yet.
public enum SignatureSuite: UInt8, Sendable {
    /// EC-SDSA with SHA-256 on P-256.
    case p256 = 0x10
    /// EC-SDSA with SHA-512 on P-521.
    case p521 = 0x11

    public var curve: EllipticCurve {
        switch self {
        case .p256: .p256
        case .p521: .p521
        }
    }

    var digest: DigestAlgorithm {
        switch self {
        case .p256: .sha256
        case .p521: .sha512
        }
    }

    /// Length of a signature in bytes: NHASH + NFIELD.
    public var signatureCount: Int { digest.count + curve.fieldCount }

    /// The digest of `parts` joined.
    func hash(_ parts: [UInt8]...) -> [UInt8] {
        let context = DigestContext(digest)
        for part in parts { context.update(part.span) }
        return context.finish()
    }
}

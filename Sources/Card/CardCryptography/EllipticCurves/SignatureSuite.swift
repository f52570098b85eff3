internal import Bytes

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

/// A curve and a cipher for offline data encipherment, by EMV's indicator (EMV 4.4 Book 2, B2.4.2,
/// table 49): Diffie-Hellman on the curve, AES-128 in counter mode, then CMAC.
public enum EnciphermentSuite: UInt8, Sendable {
    case p256 = 0x00
    case p521 = 0x01

    public var curve: EllipticCurve {
        switch self {
        case .p256: .p256
        case .p521: .p521
        }
    }
}

/// EC-SDSA, Schnorr's signature on a curve, in the form that hashes the x-coordinate only (EMV 4.4
/// Book 2, A2.2; ISO/IEC 14888-3): a hash r and a number s, NHASH + NFIELD bytes.
extension SignatureSuite {
    /// - Parameter key: A key on the suite's curve.
    public func sign(_ message: [UInt8], by key: ECPrivateKey) throws(EllipticCurveError) -> [UInt8] {
        try sign(message, by: key, nonce: curve.group.randomScalar())
    }

    /// - Parameter nonce: k. It must be secret, and different for each signature.
    func sign(_ message: [UInt8], by key: ECPrivateKey, nonce: SecretInteger) throws(EllipticCurveError) -> [UInt8] {
        guard key.curve == curve else { throw .lengthMismatch(count: key.curve.fieldCount, expected: curve.fieldCount) }
        let group = curve.group
        let r = hash(group.basePoint(times: nonce).x, message)
        let s = nonce.plus(SecretInteger(r), times: key.scalar, modulo: group.order)
        return r + s.bytes(count: group.fieldCount)
    }

    /// Whether `signature` is valid for `key` and `message`; false for another length or curve.
    public func isValid(_ signature: [UInt8], on message: [UInt8], by key: ECPublicKey) -> Bool {
        guard signature.count == signatureCount, key.curve == curve else { return false }
        let group = curve.group
        let r = Array(signature.prefix(digest.count))
        let s = SecretInteger(Array(signature.dropFirst(digest.count)))
        let reduced = SecretInteger(r).modulo(group.order)
        guard !reduced.isZero, !s.isZero, s.isBelow(group.order) else { return false }
        // s·G − r·P; the order minus r is the same scalar as −r.
        guard let x = group.combine(base: s, key.point, group.order.minus(reduced)) else { return false }
        return constantTimeEqual(hash(x, message).span, r.span)
    }
}

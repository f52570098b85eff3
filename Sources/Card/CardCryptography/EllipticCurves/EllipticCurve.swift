/// The curves of EMV: NIST's P-256, and P-521 in case P-256 is broken (EMV 4.4 Book 2, B2.2.2,
/// table 44).
public enum EllipticCurve: Sendable, Equatable {
    case p256
    case p521

    /// Length of a coordinate, and therefore of a public key, in bytes: NFIELD.
    public var fieldCount: Int { group.fieldCount }

    var group: CurveGroup {
        switch self {
        case .p256: .p256
        case .p521: .p521
        }
    }
}

/// Why an elliptic curve key, signature or message is refused. No case carries key bytes.
public enum EllipticCurveError: Error, Equatable, Sendable {
    /// A coordinate or scalar has `count` bytes instead of `expected`.
    case lengthMismatch(count: Int, expected: Int)
    /// No point of the curve has this x-coordinate.
    case notOnCurve
    /// The private scalar is not between 1 and n − 1, both excluded.
    case invalidPrivateKey
    /// The private key's point has the greater y-coordinate, so that a verifier cannot derive it
    /// from x (EMV 4.4 Book 2, B2.2.4).
    case greaterY
}

extension EllipticCurveError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .lengthMismatch(let count, let expected): "\(count) bytes where the curve has \(expected)"
        case .notOnCurve: "no point of the curve has this x-coordinate"
        case .invalidPrivateKey: "the private scalar is out of the curve's range"
        case .greaterY: "the key's point has the greater y of its two"
        }
    }
}

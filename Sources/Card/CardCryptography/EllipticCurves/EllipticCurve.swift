public import Bytes

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

/// An elliptic curve public key in EMV's form: the x-coordinate of the point with the lesser of the
/// two y-coordinates (EMV 4.4 Book 2, B2.2.1 and B2.2.4).
public struct ECPublicKey: Sendable, Equatable {
    public let curve: EllipticCurve
    /// With the lesser y; computed from x once, when the key is made.
    let point: CurvePoint

    /// As long as the curve's field, most significant byte first.
    public var x: [UInt8] { point.x }

    public init(_ curve: EllipticCurve, x: [UInt8]) throws(EllipticCurveError) {
        guard x.count == curve.fieldCount else { throw .lengthMismatch(count: x.count, expected: curve.fieldCount) }
        guard let point = curve.group.point(x: x) else { throw .notOnCurve }
        self.init(curve, point)
    }

    /// A key from a computed point, without checks.
    ///
    /// - Parameter point: With the lesser y.
    init(_ curve: EllipticCurve, _ point: CurvePoint) {
        self.curve = curve
        self.point = point
    }

    public static func == (left: ECPublicKey, right: ECPublicKey) -> Bool {
        left.curve == right.curve && left.x == right.x
    }
}

/// An elliptic curve private key of a card, an issuer or a certification authority: a scalar whose
/// point has the lesser of the two y-coordinates (EMV 4.4 Book 2, B2.2.4).
public struct ECPrivateKey: Sendable {
    public let publicKey: ECPublicKey
    let scalar: SecretInteger

    public var curve: EllipticCurve { publicKey.curve }

    /// A new key from libcrypto's generator.
    public static func generate(_ curve: EllipticCurve) -> ECPrivateKey {
        let group = curve.group
        let scalar = group.randomScalar()
        let point = group.basePoint(times: scalar)
        // n − d is the key of the point with the other y and the same x.
        return ECPrivateKey(
            publicKey: ECPublicKey(curve, group.withLesserY(point)),
            scalar: group.hasLesserY(point) ? scalar : group.order.minus(scalar))
    }

    /// A key for one key agreement, which accepts either y (EMV 4.4 Book 2, B2.2.4).
    static func ephemeral(_ curve: EllipticCurve) -> ECPrivateKey {
        let scalar = curve.group.randomScalar()
        let point = curve.group.withLesserY(curve.group.basePoint(times: scalar))
        return ECPrivateKey(publicKey: ECPublicKey(curve, point), scalar: scalar)
    }

    /// - Parameter scalar: d, as long as the curve's field, most significant byte first.
    public init(_ curve: EllipticCurve, scalar: SecretBytes) throws(EllipticCurveError) {
        guard scalar.count == curve.fieldCount else {
            throw .lengthMismatch(count: scalar.count, expected: curve.fieldCount)
        }
        guard let number = curve.group.scalar(scalar) else { throw .invalidPrivateKey }
        let point = curve.group.basePoint(times: number)
        guard curve.group.hasLesserY(point) else { throw .greaterY }
        self.init(publicKey: ECPublicKey(curve, point), scalar: number)
    }

    private init(publicKey: ECPublicKey, scalar: SecretInteger) {
        self.publicKey = publicKey
        self.scalar = scalar
    }
}

public import Bytes

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
            publicKey: ECPublicKey(curve, group.withLesserY(point)), scalar: group.hasLesserY(point) ? scalar : group.order.minus(scalar))
    }

    /// A key for one key agreement, which accepts either y (EMV 4.4 Book 2, B2.2.4).
    static func ephemeral(_ curve: EllipticCurve) -> ECPrivateKey {
        let scalar = curve.group.randomScalar()
        let point = curve.group.withLesserY(curve.group.basePoint(times: scalar))
        return ECPrivateKey(publicKey: ECPublicKey(curve, point), scalar: scalar)
    }

    /// - Parameter scalar: d, as long as the curve's field, most significant byte first.
    public init(_ curve: EllipticCurve, scalar: SecretBytes) throws(EllipticCurveError) {
        guard scalar.count == curve.fieldCount else { throw .lengthMismatch(count: scalar.count, expected: curve.fieldCount) }
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

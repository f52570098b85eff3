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

    public static func == (left: ECPublicKey, right: ECPublicKey) -> Bool { left.curve == right.curve && left.x == right.x }
}

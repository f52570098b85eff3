/// An elliptic curve public key in EMV's form: the x-coordinate of the point with the lesser of the
/// two y-coordinates (EMV 4.4 Book 2, B2.2.1 and B2.2.4).
public struct ECPublicKey: Sendable, Equatable {
    public let curve: EllipticCurve
    /// As long as the curve's field, most significant byte first.
    public let x: [UInt8]

    public init(_ curve: EllipticCurve, x: [UInt8]) throws(EllipticCurveError) {
        guard x.count == curve.fieldCount else { throw .lengthMismatch(count: x.count, expected: curve.fieldCount) }
        guard curve.group.lesserY(x: x) != nil else { throw .notOnCurve }
        self.curve = curve
        self.x = x
    }

    /// The lesser of the two y-coordinates, as long as the curve's field.
    var y: [UInt8] {
        guard let y = curve.group.lesserY(x: x) else { preconditionFailure("the initialiser has found the point") }
        return y
    }

    /// A key from the coordinate of a computed point, without checks.
    init(_ curve: EllipticCurve, known x: [UInt8]) {
        self.curve = curve
        self.x = x
    }
}

internal import Bytes
internal import COpenSSL

/// The points of one of NIST's prime curves, and arithmetic on them; created once and never
/// released.
///
/// An x-coordinate alone means the point with the lesser y, as in EMV (EMV 4.4 Book 2, B2.2.1 e):
/// to compute that y costs as much as a product, so a key keeps its ``CurvePoint``. Sendable
/// although it holds pointers: libcrypto's objects for a curve are never changed, and can be shared
/// between threads.
@safe struct CurveGroup: @unchecked Sendable {
    private let group: OpaquePointer
    /// Length of a coordinate in bytes, NFIELD.
    let fieldCount: Int
    /// n, the number of points.
    let order: SecretInteger
    /// p.
    private let field: SecretInteger
    /// (p − 1) / 2: a y that is not above it is the lesser of y and p − y.
    private let greatestLesserY: [UInt8]

    static let p256 = CurveGroup(NID_X9_62_prime256v1, fieldCount: 32)
    static let p521 = CurveGroup(NID_secp521r1, fieldCount: 66)

    private init(_ name: Int32, fieldCount: Int) {
        unsafe group = LibCrypto.demand(EC_GROUP_new_by_curve_name(name), "EC_GROUP_new_by_curve_name")
        self.fieldCount = fieldCount
        order = unsafe SecretInteger(copying: LibCrypto.demand(EC_GROUP_get0_order(group), "EC_GROUP_get0_order"))
        field = unsafe SecretInteger(copying: LibCrypto.demand(EC_GROUP_get0_field(group), "EC_GROUP_get0_field"))
        greatestLesserY = field.halved.bytes(count: fieldCount)
    }

    // MARK: Points

    /// The point of `x` with the lesser y; nil if `x` has a wrong length, is not below p or has no
    /// point.
    func point(x: [UInt8]) -> CurvePoint? {
        let number = SecretInteger(x)
        guard x.count == fieldCount, number.isBelow(field) else { return nil }
        let result = unsafe makePoint()
        guard
            unsafe withContext({ unsafe EC_POINT_set_compressed_coordinates(group, result, number.pointer, 0, $0) == 1 }
            )
        else {
            unsafe EC_POINT_free(result)
            ERR_clear_error()
            return nil
        }
        return unsafe withLesserY(finite(result))
    }

    /// The point of both coordinates; nil if it is not one of the curve.
    func point(x: [UInt8], y: [UInt8]) -> CurvePoint? {
        let (first, second) = (SecretInteger(x), SecretInteger(y))
        guard x.count == fieldCount, y.count == fieldCount, first.isBelow(field), second.isBelow(field) else {
            return nil
        }
        let result = unsafe makePoint()
        let found = unsafe withContext {
            unsafe EC_POINT_set_affine_coordinates(group, result, first.pointer, second.pointer, $0) == 1
        }
        guard found else {
            unsafe EC_POINT_free(result)
            ERR_clear_error()
            return nil
        }
        return unsafe CurvePoint(result, x: x, y: y)
    }

    /// `scalar` times the base point.
    func basePoint(times scalar: SecretInteger) -> CurvePoint {
        let result = unsafe makePoint()
        unsafe withContext {
            unsafe LibCrypto.demand(EC_POINT_mul(group, result, scalar.pointer, nil, nil, $0), "EC_POINT_mul")
        }
        return unsafe finite(result)
    }

    /// Whether the y-coordinate of `point` is the lesser of the two that its x-coordinate has.
    func hasLesserY(_ point: CurvePoint) -> Bool { !greatestLesserY.lexicographicallyPrecedes(point.y) }

    /// `point`, or its inverse: the one with the lesser y.
    func withLesserY(_ point: CurvePoint) -> CurvePoint {
        guard !hasLesserY(point) else { return point }
        let inverse = unsafe LibCrypto.demand(EC_POINT_dup(point.pointer, group), "EC_POINT_dup")
        unsafe withContext { unsafe LibCrypto.demand(EC_POINT_invert(group, inverse, $0), "EC_POINT_invert") }
        return unsafe CurvePoint(inverse, x: point.x, y: field.minus(SecretInteger(point.y)).bytes(count: fieldCount))
    }

    /// The x-coordinate of `scalar` times `point`; nil if the product is not a finite point.
    func multiply(_ point: CurvePoint, by scalar: SecretInteger) -> [UInt8]? {
        let result = unsafe makePoint()
        defer { unsafe EC_POINT_clear_free(result) }
        unsafe withContext {
            unsafe LibCrypto.demand(EC_POINT_mul(group, result, nil, point.pointer, scalar.pointer, $0), "EC_POINT_mul")
        }
        guard unsafe EC_POINT_is_at_infinity(group, result) == 0 else { return nil }
        return unsafe coordinates(result).x
    }

    /// The x-coordinate of `first` times the base point plus `second` times `point`; nil as for
    /// ``multiply(_:by:)``. Its time depends on the scalars: they must not be secret.
    func combine(base first: SecretInteger, _ point: CurvePoint, _ second: SecretInteger) -> [UInt8]? {
        let result = unsafe makePoint()
        defer { unsafe EC_POINT_free(result) }
        unsafe withContext {
            unsafe LibCrypto.demand(
                EC_POINT_mul(group, result, first.pointer, point.pointer, second.pointer, $0), "EC_POINT_mul")
        }
        guard unsafe EC_POINT_is_at_infinity(group, result) == 0 else { return nil }
        return unsafe coordinates(result).x
    }

    private func makePoint() -> OpaquePointer {
        unsafe LibCrypto.demand(EC_POINT_new(group), "EC_POINT_new")
    }

    /// The point that `pointer` has, which is not at infinity, and which it takes over.
    private func finite(_ pointer: OpaquePointer) -> CurvePoint {
        let (x, y) = unsafe coordinates(pointer)
        return unsafe CurvePoint(pointer, x: x, y: y)
    }

    private func coordinates(_ point: OpaquePointer) -> (x: [UInt8], y: [UInt8]) {
        let (x, y) = (SecretInteger(), SecretInteger())
        unsafe withContext {
            unsafe LibCrypto.demand(
                EC_POINT_get_affine_coordinates(group, point, x.pointer, y.pointer, $0),
                "EC_POINT_get_affine_coordinates")
        }
        return (x.bytes(count: fieldCount), y.bytes(count: fieldCount))
    }

    // MARK: Scalars

    /// The scalar written in `bytes`; nil unless it has the length of a coordinate and 1 < d < n −
    /// 1 (EMV 4.4 Book 2, B2.2.4).
    func scalar(_ bytes: SecretBytes) -> SecretInteger? {
        guard bytes.count == fieldCount else { return nil }
        let number = SecretInteger(bytes)
        return !number.isZero && !number.isOne && number.isBelow(order.decremented) ? number : nil
    }

    /// A scalar d with 1 < d < n − 1, each equally likely (EMV 4.4 Book 2, B2.2.4).
    func randomScalar() -> SecretInteger {
        while true {
            let candidate = SecretInteger.random(below: order)
            if !candidate.isZero, !candidate.isOne, candidate.decremented.isBelow(order.decremented.decremented) {
                return candidate
            }
        }
    }

    private func withContext<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        let context = unsafe LibCrypto.demand(BN_CTX_secure_new(), "BN_CTX_secure_new")
        defer { unsafe BN_CTX_free(context) }
        return unsafe body(context)
    }
}

/// A finite point of a ``CurveGroup``.
///
/// Sendable although it holds a pointer: libcrypto computes with the point and does not change it.
@safe final class CurvePoint: @unchecked Sendable {
    let pointer: OpaquePointer
    /// As long as the curve's field, most significant byte first.
    let x, y: [UInt8]

    /// - Parameter pointer: The point of both coordinates, which this object takes over.
    init(_ pointer: OpaquePointer, x: [UInt8], y: [UInt8]) {
        unsafe self.pointer = pointer
        self.x = x
        self.y = y
    }

    deinit { unsafe EC_POINT_free(pointer) }
}

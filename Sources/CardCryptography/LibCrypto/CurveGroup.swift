internal import Bytes
internal import COpenSSL

/// The points of one of NIST's prime curves, and arithmetic on them; created once and never
/// released.
///
/// Points are represented by their x-coordinates, which mean the point with the lesser y, as in EMV
/// (EMV 4.4 Book 2, B2.2.1 e). Sendable although it holds pointers: libcrypto's objects for a curve
/// are never changed, and can be shared between threads.
@safe struct CurveGroup: @unchecked Sendable {
    private let group: OpaquePointer
    /// Length of a coordinate in bytes, NFIELD.
    let fieldCount: Int
    /// n, the number of points.
    let order: SecretInteger

    static let p256 = CurveGroup(NID_X9_62_prime256v1, fieldCount: 32)
    static let p521 = CurveGroup(NID_secp521r1, fieldCount: 66)

    private init(_ name: Int32, fieldCount: Int) {
        unsafe group = LibCrypto.demand(EC_GROUP_new_by_curve_name(name), "EC_GROUP_new_by_curve_name")
        self.fieldCount = fieldCount
        order = unsafe SecretInteger(copying: LibCrypto.demand(EC_GROUP_get0_order(group), "EC_GROUP_get0_order"))
    }

    /// The lesser y of the points with this x-coordinate; nil if there is none.
    func lesserY(x: [UInt8]) -> [UInt8]? {
        guard let point = unsafe point(x: x) else { return nil }
        defer { unsafe EC_POINT_free(point) }
        return unsafe coordinates(point).y.bytes(count: fieldCount)
    }

    /// The x-coordinate of `scalar` times the base point, and whether its y is the lesser of the two.
    func multiplyBase(by scalar: SecretInteger) -> (x: [UInt8], hasLesserY: Bool) {
        let result = unsafe makePoint()
        defer { unsafe EC_POINT_free(result) }
        unsafe withContext { unsafe LibCrypto.demand(EC_POINT_mul(group, result, scalar.pointer, nil, nil, $0), "EC_POINT_mul") }
        let (x, y) = unsafe coordinates(result)
        return (x, isLesser(y))
    }

    /// Both coordinates of `scalar` times the base point.
    func basePoint(times scalar: SecretInteger) -> (x: [UInt8], y: [UInt8]) {
        let result = unsafe makePoint()
        defer { unsafe EC_POINT_free(result) }
        unsafe withContext { unsafe LibCrypto.demand(EC_POINT_mul(group, result, scalar.pointer, nil, nil, $0), "EC_POINT_mul") }
        let (x, y) = unsafe coordinates(result)
        return (x, y.bytes(count: fieldCount))
    }

    /// Whether the two coordinates are those of a point of the curve.
    func isPoint(x: [UInt8], y: [UInt8]) -> Bool {
        guard y.count == fieldCount, let lesser = lesserY(x: x) else { return false }
        let field = unsafe SecretInteger(copying: LibCrypto.demand(EC_GROUP_get0_field(group), "EC_GROUP_get0_field"))
        return y == lesser || y == field.minus(SecretInteger(lesser)).bytes(count: fieldCount)
    }

    /// The scalar written in `bytes`; nil unless it has the length of a coordinate and 1 < d < n − 1 (EMV 4.4 Book 2, B2.2.4).
    func scalar(_ bytes: SecretBytes) -> SecretInteger? {
        guard bytes.count == fieldCount else { return nil }
        let number = SecretInteger(bytes)
        return !number.isZero && !number.isOne && number.isBelow(order.decremented) ? number : nil
    }

    /// The x-coordinate of `scalar` times the point of `x`; nil if there is no such point, or the
    /// product is not a finite point.
    func multiply(x: [UInt8], by scalar: SecretInteger) -> [UInt8]? {
        guard let point = unsafe point(x: x) else { return nil }
        let result = unsafe makePoint()
        defer {
            unsafe EC_POINT_free(point)
            unsafe EC_POINT_free(result)
        }
        unsafe withContext { unsafe LibCrypto.demand(EC_POINT_mul(group, result, nil, point, scalar.pointer, $0), "EC_POINT_mul") }
        guard unsafe EC_POINT_is_at_infinity(group, result) == 0 else { return nil }
        return unsafe coordinates(result).x
    }

    /// The x-coordinate of `first` times the base point plus `second` times the point of `x`; nil
    /// as for ``multiply(x:by:)``. Its time depends on the scalars: they must not be secret.
    func combine(base first: SecretInteger, x: [UInt8], _ second: SecretInteger) -> [UInt8]? {
        guard let point = unsafe point(x: x) else { return nil }
        let result = unsafe makePoint()
        defer {
            unsafe EC_POINT_free(point)
            unsafe EC_POINT_free(result)
        }
        unsafe withContext {
            unsafe LibCrypto.demand(EC_POINT_mul(group, result, first.pointer, point, second.pointer, $0), "EC_POINT_mul")
        }
        guard unsafe EC_POINT_is_at_infinity(group, result) == 0 else { return nil }
        return unsafe coordinates(result).x
    }

    /// A scalar d with 1 < d < n − 1, each equally likely (EMV 4.4 Book 2, B2.2.4).
    func randomScalar() -> SecretInteger {
        while true {
            let candidate = SecretInteger.random(below: order)
            if !candidate.isZero, !candidate.isOne, candidate.decremented.isBelow(order.decremented.decremented) { return candidate }
        }
    }

    // MARK: Points

    /// The point of `x` with the lesser y; the caller frees it. Nil if `x` has a wrong length or no
    /// point.
    private func point(x: [UInt8]) -> OpaquePointer? {
        guard x.count == fieldCount else { return nil }
        let result = unsafe makePoint()
        let number = SecretInteger(x)
        let found = unsafe withContext { unsafe EC_POINT_set_compressed_coordinates(group, result, number.pointer, 0, $0) == 1 }
        guard found else {
            unsafe EC_POINT_free(result)
            ERR_clear_error()
            return nil
        }
        if unsafe !isLesser(coordinates(result).y) {
            unsafe withContext { unsafe LibCrypto.demand(EC_POINT_invert(group, result, $0), "EC_POINT_invert") }
        }
        return unsafe result
    }

    private func makePoint() -> OpaquePointer {
        unsafe LibCrypto.demand(EC_POINT_new(group), "EC_POINT_new")
    }

    private func coordinates(_ point: OpaquePointer) -> (x: [UInt8], y: SecretInteger) {
        let (x, y) = (SecretInteger(), SecretInteger())
        unsafe withContext {
            unsafe LibCrypto.demand(
                EC_POINT_get_affine_coordinates(group, point, x.pointer, y.pointer, $0), "EC_POINT_get_affine_coordinates")
        }
        return (x.bytes(count: fieldCount), y)
    }

    /// Whether y is less than p − y.
    private func isLesser(_ y: SecretInteger) -> Bool {
        let field = unsafe SecretInteger(copying: LibCrypto.demand(EC_GROUP_get0_field(group), "EC_GROUP_get0_field"))
        return y.isBelow(field.minus(y))
    }

    private func withContext<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        let context = unsafe LibCrypto.demand(BN_CTX_secure_new(), "BN_CTX_secure_new")
        defer { unsafe BN_CTX_free(context) }
        return unsafe body(context)
    }
}

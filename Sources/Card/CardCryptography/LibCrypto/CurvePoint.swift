internal import COpenSSL

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

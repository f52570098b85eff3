internal import COpenSSL

/// What every call of libcrypto goes through.
///
/// Inputs are checked before they reach libcrypto, so a call that fails here means an exhausted heap, or a provider
/// configuration without the algorithm. Neither depends on what a card sends, and neither can be continued from.
enum LibCrypto {
    /// Traps unless `status` is 1, libcrypto's success.
    static func demand(_ status: Int32, _ call: StaticString) {
        guard status == 1 else { fatalError("libcrypto: \(call) failed") }
    }

    /// The object libcrypto has made; traps if it made none.
    static func demand(_ object: OpaquePointer?, _ call: StaticString) -> OpaquePointer {
        guard let object = unsafe object else { fatalError("libcrypto: \(call) failed") }
        return unsafe object
    }
}

internal import COpenSSL

/// Checks the result of every call of libcrypto.
///
/// Inputs are checked before they reach libcrypto, so a call that fails here means an exhausted
/// heap, or a provider configuration without the algorithm. Neither depends on data from a card,
/// and neither is recoverable.
///
/// The first call sets libcrypto up without its exit handler (OPENSSL_init_crypto(3),
/// OPENSSL_INIT_NO_ATEXIT). The handler frees what libcrypto shares between threads, and a thread
/// that computes while the process exits then reads freed memory. The system frees the memory of an
/// ended process anyway.
enum LibCrypto {
    /// Evaluated once, before the first call.
    private static let isSetUp: Void = {
        guard OPENSSL_init_crypto(UInt64(truncatingIfNeeded: OPENSSL_INIT_NO_ATEXIT), nil) == 1 else {
            fatalError("libcrypto: OPENSSL_init_crypto failed")
        }
    }()

    /// Makes the call, and traps unless its status is 1, libcrypto's success.
    static func demand(_ status: @autoclosure () -> Int32, _ call: StaticString) {
        isSetUp
        guard status() == 1 else { fatalError("libcrypto: \(call) failed") }
    }

    /// Makes the call, and returns the object that libcrypto has made; traps if it made no object.
    static func demand(_ object: @autoclosure () -> OpaquePointer?, _ call: StaticString) -> OpaquePointer {
        isSetUp
        guard let object = unsafe object() else { fatalError("libcrypto: \(call) failed") }
        return unsafe object
    }
}

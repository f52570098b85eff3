internal import Bytes
internal import COpenSSL

/// SHA-1 over bytes that arrive in parts, by libcrypto's low-level interface: its state is in the
/// context itself, which avoids allocations.
struct SHA1Context: ~Copyable {
    static let count = 20

    private var state = SHA_CTX()

    init() { unsafe LibCrypto.demand(SHA1_Init(&state), "SHA1_Init") }

    mutating func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe LibCrypto.demand(SHA1_Update(&state, buffer.baseAddress, buffer.count), "SHA1_Update")
        }
    }

    consuming func finish() -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Self.count) { buffer, initialized in
            unsafe LibCrypto.demand(SHA1_Final(buffer.baseAddress, &state), "SHA1_Final")
            initialized = Self.count
        }
    }

    /// Whether the digest equals `expected`, in constant time.
    consuming func finish(with expected: Span<UInt8>) -> Bool {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.count) { buffer in
            unsafe LibCrypto.demand(SHA1_Final(buffer.baseAddress, &state), "SHA1_Final")
            return unsafe constantTimeEqual(Span(_unsafeElements: UnsafeBufferPointer(buffer)), expected)
        }
    }
}

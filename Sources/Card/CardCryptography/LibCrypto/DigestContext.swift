internal import Bytes
internal import COpenSSL

/// A message digest algorithm, fetched once from libcrypto's provider and never released.
///
/// Sendable although it holds a pointer: the fetched object is never changed, and can be shared
/// between threads.
@safe struct DigestAlgorithm: @unchecked Sendable {
    fileprivate let implementation: OpaquePointer
    /// Length of the digest in bytes.
    let count: Int

    static let md5 = DigestAlgorithm("MD5")
    static let sha256 = DigestAlgorithm("SHA256")
    static let sha512 = DigestAlgorithm("SHA512")

    private init(_ name: String) {
        unsafe implementation = LibCrypto.demand(EVP_MD_fetch(nil, name, nil), "EVP_MD_fetch")
        count = unsafe Int(EVP_MD_get_size(implementation))
    }
}

/// A digest over bytes that arrive in parts. The caller does not have to join them.
@safe struct DigestContext: ~Copyable {
    private let context: OpaquePointer
    private let count: Int

    init(_ algorithm: DigestAlgorithm) {
        unsafe context = LibCrypto.demand(EVP_MD_CTX_new(), "EVP_MD_CTX_new")
        count = algorithm.count
        unsafe LibCrypto.demand(EVP_DigestInit_ex2(context, algorithm.implementation, nil), "EVP_DigestInit_ex2")
    }

    func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe LibCrypto.demand(EVP_DigestUpdate(context, buffer.baseAddress, buffer.count), "EVP_DigestUpdate")
        }
    }

    consuming func finish() -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe LibCrypto.demand(EVP_DigestFinal_ex(context, buffer.baseAddress, nil), "EVP_DigestFinal_ex")
            initialized = count
        }
    }

    deinit { unsafe EVP_MD_CTX_free(context) }
}

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

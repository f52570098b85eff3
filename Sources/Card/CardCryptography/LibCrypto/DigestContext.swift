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

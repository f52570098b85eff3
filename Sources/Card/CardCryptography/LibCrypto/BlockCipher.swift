internal import COpenSSL

/// AES (FIPS 197) for keys of one length, fetched once from libcrypto's provider and never
/// released.
///
/// Sendable although it holds a pointer: the fetched object is never changed, and can be shared
/// between threads.
@safe struct BlockCipher: @unchecked Sendable {
    enum Direction: Int32 {
        case decrypt = 0
        case encrypt = 1
    }

    let implementation: OpaquePointer

    static let aes128 = BlockCipher("AES-128-ECB")
    static let aes192 = BlockCipher("AES-192-ECB")
    static let aes256 = BlockCipher("AES-256-ECB")
    /// Block length in bytes.
    static let blockSize = 16

    private init(_ name: String) {
        unsafe implementation = LibCrypto.demand(EVP_CIPHER_fetch(nil, name, nil), "EVP_CIPHER_fetch")
    }
}

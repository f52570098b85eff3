internal import Bytes
internal import COpenSSL

/// A block cipher in one mode, fetched once from libcrypto's provider and never released. Whole blocks only, no padding.
///
/// Sendable although it holds a pointer: what libcrypto has fetched is never changed, and is shared between threads.
@safe struct BlockCipher: @unchecked Sendable {
    enum Direction: Int32 {
        case decrypt = 0
        case encrypt = 1
    }

    private let implementation: OpaquePointer
    /// Block length in bytes.
    let blockSize: Int

    static let tdesECB = BlockCipher("DES-EDE3-ECB", blockSize: 8)
    static let tdesCBC = BlockCipher("DES-EDE3-CBC", blockSize: 8)
    static let aes128ECB = BlockCipher("AES-128-ECB", blockSize: 16)
    static let aes192ECB = BlockCipher("AES-192-ECB", blockSize: 16)
    static let aes256ECB = BlockCipher("AES-256-ECB", blockSize: 16)
    static let aes128CBC = BlockCipher("AES-128-CBC", blockSize: 16)
    static let aes192CBC = BlockCipher("AES-192-CBC", blockSize: 16)
    static let aes256CBC = BlockCipher("AES-256-CBC", blockSize: 16)

    private init(_ name: String, blockSize: Int) {
        unsafe implementation = LibCrypto.demand(EVP_CIPHER_fetch(nil, name, nil), "EVP_CIPHER_fetch")
        self.blockSize = blockSize
    }

    /// Enciphers or deciphers `data` in ECB mode.
    func run(_ direction: Direction, _ data: Span<UInt8>, key: SecretBytes) throws(CipherError) -> [UInt8] {
        guard data.count.isMultiple(of: blockSize) else { throw .notWholeBlocks(count: data.count, blockSize: blockSize) }
        return transform(direction, data, key: key, iv: [])
    }

    /// Enciphers or deciphers `data` in CBC mode from `iv`.
    func run(_ direction: Direction, _ data: Span<UInt8>, key: SecretBytes, iv: [UInt8]) throws(CipherError) -> [UInt8] {
        guard iv.count == blockSize else { throw .initializationVector(count: iv.count, blockSize: blockSize) }
        guard data.count.isMultiple(of: blockSize) else { throw .notWholeBlocks(count: data.count, blockSize: blockSize) }
        return transform(direction, data, key: key, iv: iv)
    }

    /// The bare operation, on data that is whole blocks by construction. ECB ignores `iv`.
    func transform(_ direction: Direction, _ blocks: Span<UInt8>, key: SecretBytes, iv: [UInt8]) -> [UInt8] {
        precondition(blocks.count.isMultiple(of: blockSize))
        let context = unsafe LibCrypto.demand(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        key.withBytes { key in
            unsafe key.withUnsafeBufferPointer { key in
                unsafe LibCrypto.demand(
                    EVP_CipherInit_ex2(context, implementation, key.baseAddress, iv, direction.rawValue, nil), "EVP_CipherInit_ex2")
            }
        }
        unsafe LibCrypto.demand(EVP_CIPHER_CTX_set_padding(context, 0), "EVP_CIPHER_CTX_set_padding")
        return unsafe [UInt8](unsafeUninitializedCapacity: blocks.count) { output, initialized in
            var count: Int32 = 0
            unsafe blocks.withUnsafeBufferPointer { blocks in
                unsafe LibCrypto.demand(
                    // fits: what is enciphered in one piece is far below 2 GiB
                    EVP_CipherUpdate(context, output.baseAddress, &count, blocks.baseAddress, Int32(blocks.count)), "EVP_CipherUpdate")
            }
            initialized = Int(count)
        }
    }
}

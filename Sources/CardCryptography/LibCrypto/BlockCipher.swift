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
        return unsafe [UInt8](unsafeUninitializedCapacity: blocks.count) { output, initialized in
            unsafe blocks.withUnsafeBufferPointer { blocks in
                // EVP_Cipher keeps no block back, so that padding plays no part. It takes whole blocks, at least one.
                guard !blocks.isEmpty else { return }
                // fits: what is enciphered in one piece is far below 4 GiB
                let count = unsafe EVP_Cipher(context, output.baseAddress, blocks.baseAddress, UInt32(blocks.count))
                guard count > 0 else { fatalError("libcrypto: EVP_Cipher failed") }
            }
            initialized = blocks.count
        }
    }

    /// Enciphers single blocks, each under a key of its own, in one context: what a derivation in many steps needs.
    ///
    /// - Parameter body: Is given a function that enciphers the block at `input` under the key of ``keyCount(_:)`` bytes at `key` into `output`.
    func chained<Result>(
        _ body: (_ encrypt: (_ key: UnsafePointer<UInt8>, _ input: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>) -> Void) ->
            Result
    ) -> Result {
        let context = unsafe LibCrypto.demand(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var isFirst = true
        return unsafe body { key, input, output in
            unsafe LibCrypto.demand(
                EVP_CipherInit_ex2(context, isFirst ? implementation : nil, key, nil, Direction.encrypt.rawValue, nil), "EVP_CipherInit_ex2"
            )
            isFirst = false
            // fits: one block
            guard unsafe EVP_Cipher(context, output, input, UInt32(blockSize)) > 0 else { fatalError("libcrypto: EVP_Cipher failed") }
        }
    }
}

internal import Bytes
internal import COpenSSL

/// A keyed message authentication code of libcrypto: the family, and the underlying algorithm.
///
/// Sendable although it holds a pointer: the fetched object is never changed, and can be shared
/// between threads.
@safe struct MessageAuthentication: @unchecked Sendable {
    private let implementation: OpaquePointer
    private let parameter: String
    private let algorithm: String

    static let hmacSHA256 = MessageAuthentication("HMAC", OSSL_MAC_PARAM_DIGEST, "SHA256")

    private init(_ family: String, _ parameter: String, _ algorithm: String) {
        unsafe implementation = LibCrypto.demand(EVP_MAC_fetch(nil, family, nil), "EVP_MAC_fetch")
        self.parameter = parameter
        self.algorithm = algorithm
    }

    /// The whole code over `data`; its length is that of the digest or the block.
    func code(over data: Span<UInt8>, key: SecretBytes) -> [UInt8] {
        let context = unsafe LibCrypto.demand(EVP_MAC_CTX_new(implementation), "EVP_MAC_CTX_new")
        defer { unsafe EVP_MAC_CTX_free(context) }
        unsafe initialize(context, key: key)
        unsafe data.withUnsafeBufferPointer { buffer in
            unsafe LibCrypto.demand(EVP_MAC_update(context, buffer.baseAddress, buffer.count), "EVP_MAC_update")
        }
        let count = unsafe EVP_MAC_CTX_get_mac_size(context)
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            unsafe LibCrypto.demand(EVP_MAC_final(context, buffer.baseAddress, &initialized, count), "EVP_MAC_final")
        }
    }

    private func initialize(_ context: OpaquePointer, key: SecretBytes) {
        var name = algorithm.utf8CString
        unsafe parameter.withCString { parameter in
            unsafe name.withUnsafeMutableBufferPointer { name in
                let parameters = unsafe [
                    OSSL_PARAM_construct_utf8_string(parameter, name.baseAddress, 0), OSSL_PARAM_construct_end(),
                ]
                key.withBytes { key in
                    unsafe key.withUnsafeBufferPointer { key in
                        // With a null key, EVP_MAC_init keeps the previous key, so an empty key
                        // still needs an address.
                        var empty: UInt8 = 0
                        unsafe withUnsafePointer(to: &empty) { empty in
                            unsafe LibCrypto.demand(
                                EVP_MAC_init(context, key.baseAddress ?? empty, key.count, parameters), "EVP_MAC_init")
                        }
                    }
                }
            }
        }
    }
}

/// The mode of NIST SP 800-38B over a block cipher whose blocks are numbers, most significant byte
/// first.
enum CMAC {
    /// - Parameters:
    ///   - subkey: The result of ``subkey(_:)``.
    ///   - encrypt: Encrypts one block under the key.
    static func code<Block: CipherBlock>(
        over data: Span<UInt8>, subkey: Block, _ encrypt: (Block) -> Block
    ) -> Block {
        let size = Block.bitWidth / 8
        var chain: Block = 0
        var start = 0
        while data.count - start > size {
            chain = encrypt(chain ^ data.block(from: start))
            start += size
        }
        let rest = data.count - start
        guard rest < size else { return encrypt(chain ^ data.block(from: start) ^ subkey) }
        return encrypt(chain ^ data.block(from: start) ^ marker(after: rest) ^ doubled(subkey))
    }

    /// K1, for whole blocks (6.1); the other subkey is derived from it.
    static func subkey<Block: CipherBlock>(_ encrypt: (Block) -> Block) -> Block { doubled(encrypt(0)) }

    /// Twice `block` in the field of its size (6.1): shifted by a bit, and reduced by 1B or 87.
    private static func doubled<Block: CipherBlock>(_ block: Block) -> Block {
        let reduction: Block = Block.bitWidth == 64 ? 0x1B : 0x87
        return block << 1 ^ (block.leadingZeroBitCount == 0 ? reduction : 0)
    }

    /// The byte 80 that follows `count` bytes in the last block.
    static func marker<Block: CipherBlock>(after count: Int) -> Block { 0x80 << (Block.bitWidth - 8 - 8 * count) }
}

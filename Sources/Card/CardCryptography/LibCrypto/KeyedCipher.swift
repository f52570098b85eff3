internal import Bytes
internal import COpenSSL

/// A context of libcrypto with a key, for any number of blocks. The context is wiped and freed at
/// the end.
///
/// Modes are implemented over single blocks (``CipherMode``, ``CMAC``): in libcrypto, setting an
/// initialization vector takes as long as four blocks.
@safe struct KeyedCipher: ~Copyable {
    private let context: OpaquePointer
    private let direction: BlockCipher.Direction

    /// - Parameter key: A key with the length of the cipher's keys.
    init(_ cipher: BlockCipher, _ direction: BlockCipher.Direction, key: SecretBytes) {
        let context = unsafe LibCrypto.demand(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
        key.withBytes { key in
            unsafe key.withUnsafeBufferPointer { key in
                unsafe LibCrypto.demand(
                    EVP_CipherInit_ex2(context, cipher.implementation, key.baseAddress, nil, direction.rawValue, nil), "EVP_CipherInit_ex2")
            }
        }
        unsafe self.context = context
        self.direction = direction
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// Sets another key of the same length: the leftmost bytes of both halves.
    func rekey(_ left: UInt128, _ right: UInt128) {
        var key = (left.bigEndian, right.bigEndian)
        unsafe withUnsafeMutableBytes(of: &key) { key in
            unsafe LibCrypto.demand(
                EVP_CipherInit_ex2(context, nil, key.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, direction.rawValue, nil),
                "EVP_CipherInit_ex2")
            unsafe OPENSSL_cleanse(key.baseAddress, key.count)
        }
    }

    /// One block.
    func callAsFunction(_ block: UInt128) -> UInt128 {
        var block = block.bigEndian
        unsafe withUnsafeMutableBytes(of: &block) { block in
            let bytes = unsafe block.baseAddress?.assumingMemoryBound(to: UInt8.self)
            // EVP_Cipher does not hold blocks back, so padding has no effect.
            let count = unsafe EVP_Cipher(context, bytes, bytes, UInt32(truncatingIfNeeded: block.count))
            LibCrypto.demand(count > 0 ? 1 : 0, "EVP_Cipher")
        }
        return UInt128(bigEndian: block)
    }

    /// Whole blocks in ECB mode, or in CBC mode from `iv`, a block.
    func transform(_ blocks: Span<UInt8>, iv: [UInt8]?) -> [UInt8] {
        CipherMode.transform(direction, blocks, iv: iv) { self($0) }
    }
}

internal import Bytes
internal import COpenSSL

/// AES-256-GCM of libcrypto (NIST SP 800-38D), fetched once from its provider and never released.
///
/// Sendable although it holds a pointer: the fetched object is never changed, and can be shared
/// between threads.
@safe struct GaloisCounterMode: @unchecked Sendable {
    static let aes256 = GaloisCounterMode()
    static let nonceCount = 12
    static let tagCount = 16

    private let implementation: OpaquePointer

    private init() {
        unsafe implementation = LibCrypto.demand(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil), "EVP_CIPHER_fetch")
    }

    /// Ciphertext ‖ tag.
    func seal(_ plaintext: Span<UInt8>, authenticating associated: [UInt8], nonce: [UInt8], key: SecretBytes) -> [UInt8]
    {
        let context = unsafe start(.encrypt, nonce: nonce, associated: associated, key: key)
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var sealed = unsafe update(context, plaintext)
        var tag = [UInt8](repeating: 0, count: Self.tagCount)
        var count: Int32 = 0
        unsafe LibCrypto.demand(EVP_CipherFinal_ex(context, nil, &count), "EVP_CipherFinal_ex")
        unsafe LibCrypto.demand(
            // fits: 16 bytes
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagCount), &tag), "EVP_CTRL_AEAD_GET_TAG")
        sealed.append(contentsOf: tag)
        return sealed
    }

    /// The plaintext, or nil if the tag is wrong.
    func open(
        _ ciphertext: Span<UInt8>, tag: [UInt8], authenticating associated: [UInt8], nonce: [UInt8], key: SecretBytes
    ) -> SecretBytes? {
        let context = unsafe start(.decrypt, nonce: nonce, associated: associated, key: key)
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var plaintext = unsafe update(context, ciphertext)
        defer { wipe(&plaintext) }
        var expected = tag
        var count: Int32 = 0
        unsafe LibCrypto.demand(
            // fits: 16 bytes
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagCount), &expected),
            "EVP_CTRL_AEAD_SET_TAG")
        guard unsafe EVP_CipherFinal_ex(context, nil, &count) == 1 else { return nil }
        return SecretBytes(wiping: &plaintext)
    }

    private func start(
        _ direction: BlockCipher.Direction, nonce: [UInt8], associated: [UInt8], key: SecretBytes
    ) -> OpaquePointer {
        let context = unsafe LibCrypto.demand(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
        key.withBytes { key in
            unsafe key.withUnsafeBufferPointer { key in
                unsafe LibCrypto.demand(
                    EVP_CipherInit_ex2(context, implementation, key.baseAddress, nonce, direction.rawValue, nil),
                    "EVP_CipherInit_ex2")
            }
        }
        var count: Int32 = 0
        unsafe LibCrypto.demand(
            // fits: what is enciphered in one piece is far below 2 GiB
            EVP_CipherUpdate(context, nil, &count, associated, Int32(associated.count)), "EVP_CipherUpdate")
        return unsafe context
    }

    private func update(_ context: OpaquePointer, _ data: Span<UInt8>) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: data.count) { output, initialized in
            var count: Int32 = 0
            unsafe data.withUnsafeBufferPointer { data in
                unsafe LibCrypto.demand(
                    // fits: what is enciphered in one piece is far below 2 GiB
                    EVP_CipherUpdate(context, output.baseAddress, &count, data.baseAddress, Int32(data.count)),
                    "EVP_CipherUpdate")
            }
            initialized = Int(count)
        }
    }
}

internal import Bytes
internal import COpenSSL

/// An RSA private key in libcrypto, which computes with the Chinese remainder theorem and blinds
/// its exponentiation.
///
/// Sendable although it holds a pointer: the key is never changed, and libcrypto locks its
/// blinding.
@safe final class PrivateKeyHandle: @unchecked Sendable {
    private let key: OpaquePointer

    private init(_ key: OpaquePointer) {
        unsafe self.key = key
    }

    deinit { unsafe EVP_PKEY_free(key) }

    /// A new key; nil if libcrypto cannot generate one of this length.
    static func generate(modulusBits: Int32, exponent: UInt) -> PrivateKeyHandle? {
        let context = unsafe LibCrypto.demand(EVP_PKEY_CTX_new_from_name(nil, "RSA", nil), "EVP_PKEY_CTX_new_from_name")
        defer { unsafe EVP_PKEY_CTX_free(context) }
        unsafe LibCrypto.demand(EVP_PKEY_keygen_init(context), "EVP_PKEY_keygen_init")
        let number = unsafe LibCrypto.demand(BN_new(), "BN_new")
        defer { unsafe BN_free(number) }
        unsafe LibCrypto.demand(BN_set_word(number, exponent), "BN_set_word")
        guard unsafe EVP_PKEY_CTX_set_rsa_keygen_bits(context, modulusBits) == 1,
            unsafe EVP_PKEY_CTX_set1_rsa_keygen_pubexp(context, number) == 1
        else { return nil }
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_generate(context, &key) == 1, let key = unsafe key else { return nil }
        return unsafe PrivateKeyHandle(key)
    }

    /// The key of the given parts, under libcrypto's names for them; nil if it refuses them.
    static func load(_ parts: [(name: StaticString, number: SecretInteger)]) -> PrivateKeyHandle? {
        let builder = unsafe LibCrypto.demand(OSSL_PARAM_BLD_new(), "OSSL_PARAM_BLD_new")
        defer { unsafe OSSL_PARAM_BLD_free(builder) }
        for part in parts {
            // The builder keeps the name's address, not a copy.
            let name = unsafe UnsafeRawPointer(part.name.utf8Start).assumingMemoryBound(to: CChar.self)
            unsafe LibCrypto.demand(
                OSSL_PARAM_BLD_push_BN(builder, name, part.number.pointer), "OSSL_PARAM_BLD_push_BN")
        }
        let parameters = unsafe OSSL_PARAM_BLD_to_param(builder)
        defer { unsafe OSSL_PARAM_free(parameters) }
        let context = unsafe LibCrypto.demand(EVP_PKEY_CTX_new_from_name(nil, "RSA", nil), "EVP_PKEY_CTX_new_from_name")
        defer { unsafe EVP_PKEY_CTX_free(context) }
        unsafe LibCrypto.demand(EVP_PKEY_fromdata_init(context), "EVP_PKEY_fromdata_init")
        let keyPair = OSSL_KEYMGMT_SELECT_PRIVATE_KEY | OSSL_KEYMGMT_SELECT_PUBLIC_KEY
        var key: OpaquePointer?
        guard unsafe EVP_PKEY_fromdata(context, &key, keyPair, parameters) == 1, let key = unsafe key else {
            return nil
        }
        return unsafe PrivateKeyHandle(key)
    }

    /// The RSA key of a text; nil for another text, and for a key of another kind.
    static func read(pem: SecretBytes) -> PrivateKeyHandle? {
        guard let key = unsafe KeyText.privateKey(pem) else { return nil }
        let handle = unsafe PrivateKeyHandle(key)
        return unsafe EVP_PKEY_is_a(key, "RSA") == 1 ? handle : nil
    }

    /// The key as PKCS #8 without a password.
    var pem: SecretBytes { unsafe KeyText.text(ofPrivate: key) }

    /// The modulus, most significant byte first.
    var modulus: [UInt8] { unsafe number(OSSL_PKEY_PARAM_RSA_N) }

    /// The public exponent, most significant byte first.
    var exponent: [UInt8] { unsafe number(OSSL_PKEY_PARAM_RSA_E) }

    /// A public part of the key.
    private func number(_ name: UnsafePointer<CChar>) -> [UInt8] {
        var number: OpaquePointer?
        unsafe LibCrypto.demand(EVP_PKEY_get_bn_param(key, name, &number), "EVP_PKEY_get_bn_param")
        defer { unsafe BN_free(number) }
        let count = unsafe (Int(BN_num_bits(number)) + 7) / 8
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = unsafe Int(BN_bn2bin(number, buffer.baseAddress))
        }
    }

    /// The bare private operation on `block`, which is as long as the modulus and below it; nil if
    /// the key is inconsistent.
    func power(_ block: [UInt8]) -> [UInt8]? {
        let context = unsafe LibCrypto.demand(EVP_PKEY_CTX_new_from_pkey(nil, key, nil), "EVP_PKEY_CTX_new_from_pkey")
        defer { unsafe EVP_PKEY_CTX_free(context) }
        unsafe LibCrypto.demand(EVP_PKEY_decrypt_init(context), "EVP_PKEY_decrypt_init")
        unsafe LibCrypto.demand(EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING), "EVP_PKEY_CTX_set_rsa_padding")
        var count = block.count
        var result = [UInt8](repeating: 0, count: count)
        guard unsafe EVP_PKEY_decrypt(context, &result, &count, block, block.count) == 1 else { return nil }
        return result
    }
}

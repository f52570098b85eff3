internal import Bytes
internal import COpenSSL

/// A public or private key in libcrypto, for signatures over whole messages and
/// encipherment of short ones.
///
/// Sendable although it holds a pointer: the key is never changed, and can be shared between
/// threads.
@safe final class SignatureKeyHandle: @unchecked Sendable {
    private let key: OpaquePointer

    private init(_ key: OpaquePointer) {
        unsafe self.key = key
    }

    deinit { unsafe EVP_PKEY_free(key) }

    /// The key of a SubjectPublicKeyInfo in PEM (RFC 7468, 13); nil for another text.
    static func publicKey(pem: [UInt8]) -> SignatureKeyHandle? {
        unsafe KeyText.read(pem) { unsafe PEM_read_bio_PUBKEY($0, nil, nil, nil) }.map { unsafe SignatureKeyHandle($0) }
    }

    /// The key of a SubjectPublicKeyInfo in DER (RFC 5280, 4.1); nil for other bytes.
    static func publicKey(der: [UInt8]) -> SignatureKeyHandle? {
        unsafe KeyText.read(der) { unsafe d2i_PUBKEY_bio($0, nil) }.map { unsafe SignatureKeyHandle($0) }
    }

    /// The key of a private key in DER, PKCS #8 or a kind's own form; nil for other bytes.
    static func privateKey(der: SecretBytes) -> SignatureKeyHandle? {
        var bytes = der.revealed()
        defer { wipe(&bytes) }
        return unsafe KeyText.read(bytes) { unsafe d2i_PrivateKey_bio($0, nil) }.map { unsafe SignatureKeyHandle($0) }
    }

    /// The key of a private key in PEM; nil as for ``KeyText/privateKey(_:)``.
    static func privateKey(pem: SecretBytes) -> SignatureKeyHandle? {
        unsafe KeyText.privateKey(pem).map { unsafe SignatureKeyHandle($0) }
    }

    /// The length of the modulus in bits; nil if it is not an RSA key.
    var modulusBits: Int? {
        guard unsafe EVP_PKEY_is_a(key, "RSA") == 1 else { return nil }
        return unsafe Int(EVP_PKEY_get_bits(key))
    }

    /// Whether it is a key on NIST's curve P-256.
    var isP256: Bool { unsafe KeyText.isKey(key, onCurve: "prime256v1") }

    /// Whether `signature` is over `message`: RSASSA-PKCS1-v1_5, or ECDSA with r and s in DER.
    ///
    /// - Parameter hash: libcrypto's name of the hash.
    func verifies(_ signature: [UInt8], over message: [UInt8], _ hash: String = "SHA256") -> Bool {
        let context = unsafe LibCrypto.demand(EVP_MD_CTX_new(), "EVP_MD_CTX_new")
        defer { unsafe EVP_MD_CTX_free(context) }
        unsafe LibCrypto.demand(
            EVP_DigestVerifyInit_ex(context, nil, hash, nil, nil, key, nil), "EVP_DigestVerifyInit_ex")
        let isValid = unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        if !isValid { ERR_clear_error() }
        return isValid
    }

    /// The signature over `message`, as ``verifies(_:over:_:)`` takes it.
    func sign(_ message: [UInt8], _ hash: String = "SHA256") -> [UInt8] {
        let context = unsafe LibCrypto.demand(EVP_MD_CTX_new(), "EVP_MD_CTX_new")
        defer { unsafe EVP_MD_CTX_free(context) }
        unsafe LibCrypto.demand(
            EVP_DigestSignInit_ex(context, nil, hash, nil, nil, key, nil), "EVP_DigestSignInit_ex")
        var count = 0
        unsafe LibCrypto.demand(EVP_DigestSign(context, nil, &count, message, message.count), "EVP_DigestSign")
        var signature = [UInt8](repeating: 0, count: count)
        unsafe LibCrypto.demand(EVP_DigestSign(context, &signature, &count, message, message.count), "EVP_DigestSign")
        return Array(signature.prefix(count))
    }

    /// RSAES-PKCS1-v1_5; nil if the message is too long for the key.
    func encipher(_ message: [UInt8]) -> [UInt8]? {
        unsafe transform(message, EVP_PKEY_encrypt_init, EVP_PKEY_encrypt)
    }

    /// The message of such a cryptogram; nil if its padding is wrong.
    func decipher(_ cryptogram: [UInt8]) -> [UInt8]? {
        unsafe transform(cryptogram, EVP_PKEY_decrypt_init, EVP_PKEY_decrypt)
    }

    private func transform(
        _ input: [UInt8], _ begin: (OpaquePointer?) -> Int32,
        _ transform: (
            OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?, UnsafePointer<UInt8>?, Int
        ) -> Int32
    ) -> [UInt8]? {
        let context = unsafe LibCrypto.demand(EVP_PKEY_CTX_new_from_pkey(nil, key, nil), "EVP_PKEY_CTX_new_from_pkey")
        defer { unsafe EVP_PKEY_CTX_free(context) }
        unsafe LibCrypto.demand(begin(context), "EVP_PKEY_encrypt_init")
        unsafe LibCrypto.demand(
            EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING), "EVP_PKEY_CTX_set_rsa_padding")
        var count = unsafe Int(EVP_PKEY_get_size(key))
        var output = [UInt8](repeating: 0, count: count)
        guard unsafe transform(context, &output, &count, input, input.count) == 1 else {
            ERR_clear_error()
            return nil
        }
        return Array(output.prefix(count))
    }
}

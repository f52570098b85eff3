internal import Bytes
internal import COpenSSL

/// A public or private key in libcrypto, for signatures over whole messages with SHA-256.
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
        unsafe read(pem) { unsafe PEM_read_bio_PUBKEY($0, nil, nil, nil) }
    }

    /// The key of a private key in PEM, PKCS #8 or OpenSSL's own; nil for another text, also for a
    /// key that is encrypted with a password.
    static func privateKey(pem: SecretBytes) -> SignatureKeyHandle? {
        var bytes = pem.revealed()
        defer { wipe(&bytes) }
        // Without this function libcrypto would ask for a password on the terminal.
        return unsafe read(bytes) { unsafe PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
    }

    private static func read(_ pem: [UInt8], _ parse: (OpaquePointer) -> OpaquePointer?) -> SignatureKeyHandle? {
        guard let count = Int32(exactly: pem.count), count > 0 else { return nil }
        return unsafe pem.withUnsafeBytes { bytes in
            let source = unsafe LibCrypto.demand(BIO_new_mem_buf(bytes.baseAddress, count), "BIO_new_mem_buf")
            defer { unsafe BIO_free(source) }
            guard let key = unsafe parse(source) else {
                ERR_clear_error()
                return nil
            }
            return unsafe SignatureKeyHandle(key)
        }
    }

    /// The length of the modulus in bits; nil if it is not an RSA key.
    var modulusBits: Int? {
        guard unsafe EVP_PKEY_is_a(key, "RSA") == 1 else { return nil }
        return unsafe Int(EVP_PKEY_get_bits(key))
    }

    /// Whether it is a key on NIST's curve P-256.
    var isP256: Bool {
        guard unsafe EVP_PKEY_is_a(key, "EC") == 1 else { return false }
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else {
            ERR_clear_error()
            return false
        }
        return name.prefix(count).elementsEqual("prime256v1".utf8.map { CChar(truncatingIfNeeded: $0) })
    }

    /// Whether `signature` is over `message`: RSASSA-PKCS1-v1_5, or ECDSA with r and s in DER.
    func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        let context = unsafe LibCrypto.demand(EVP_MD_CTX_new(), "EVP_MD_CTX_new")
        defer { unsafe EVP_MD_CTX_free(context) }
        unsafe LibCrypto.demand(EVP_DigestVerifyInit_ex(context, nil, "SHA256", nil, nil, key, nil), "EVP_DigestVerifyInit_ex")
        let isValid = unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        if !isValid { ERR_clear_error() }
        return isValid
    }

    /// The signature over `message`, as ``verifies(_:over:)`` takes it.
    func sign(_ message: [UInt8]) -> [UInt8] {
        let context = unsafe LibCrypto.demand(EVP_MD_CTX_new(), "EVP_MD_CTX_new")
        defer { unsafe EVP_MD_CTX_free(context) }
        unsafe LibCrypto.demand(EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, key, nil), "EVP_DigestSignInit_ex")
        var count = 0
        unsafe LibCrypto.demand(EVP_DigestSign(context, nil, &count, message, message.count), "EVP_DigestSign")
        var signature = [UInt8](repeating: 0, count: count)
        unsafe LibCrypto.demand(EVP_DigestSign(context, &signature, &count, message, message.count), "EVP_DigestSign")
        return Array(signature.prefix(count))
    }
}

internal import Bytes
internal import COpenSSL

/// Keys in PEM (RFC 7468), read and written by libcrypto. Who gets a key frees it.
enum KeyText {
    /// The key that `parse` finds in a text; nil if it finds none.
    static func read(_ pem: [UInt8], _ parse: (OpaquePointer) -> OpaquePointer?) -> OpaquePointer? {
        guard let count = Int32(exactly: pem.count), count > 0 else { return nil }
        return unsafe pem.withUnsafeBytes { bytes in
            let source = unsafe LibCrypto.demand(BIO_new_mem_buf(bytes.baseAddress, count), "BIO_new_mem_buf")
            defer { unsafe BIO_free(source) }
            guard let key = unsafe parse(source) else {
                ERR_clear_error()
                return nil
            }
            return unsafe key
        }
    }

    /// A private key, PKCS #8 or OpenSSL's own; nil for another text, also for a key that is
    /// encrypted with a password.
    static func privateKey(_ pem: SecretBytes) -> OpaquePointer? {
        var bytes = pem.revealed()
        defer { wipe(&bytes) }
        // Without this function libcrypto would ask for a password on the terminal.
        return unsafe read(bytes) { unsafe PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
    }

    /// Whether `key` is on the curve of libcrypto's `name`.
    static func isKey(_ key: OpaquePointer, onCurve name: String) -> Bool {
        guard unsafe EVP_PKEY_is_a(key, "EC") == 1 else { return false }
        var found = [CChar](repeating: 0, count: 64)
        var count = 0
        guard unsafe EVP_PKEY_get_group_name(key, &found, found.count, &count) == 1 else {
            ERR_clear_error()
            return false
        }
        return found.prefix(count).elementsEqual(name.utf8.map { CChar(truncatingIfNeeded: $0) })
    }

    /// A private key as PKCS #8, without a password (RFC 7468, 10).
    static func text(ofPrivate key: OpaquePointer) -> SecretBytes {
        // Its memory is wiped when it grows and when it is freed.
        let place = unsafe LibCrypto.demand(BIO_new(BIO_s_mem()), "BIO_new")
        defer { unsafe BIO_free(place) }
        unsafe LibCrypto.demand(PEM_write_bio_PrivateKey(place, key, nil, nil, 0, nil, nil), "PEM_write_bio_PrivateKey")
        let count = unsafe BIO_ctrl_pending(place)
        var bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = unsafe Int(max(0, BIO_read(place, buffer.baseAddress, Int32(clamping: count))))
        }
        return SecretBytes(wiping: &bytes)
    }
}

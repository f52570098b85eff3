package import Bytes
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

extension ECPrivateKey {
    /// A key on `curve`, as libcrypto writes it (RFC 5915 within PKCS #8), without a password.
    ///
    /// - Throws: ``EllipticCurveError/invalidPrivateKey`` for another text, a key of another kind
    ///   or on another curve, and one whose public key is another's.
    package init(_ curve: EllipticCurve, pem: SecretBytes) throws(EllipticCurveError) {
        guard let key = unsafe KeyText.privateKey(pem) else { throw .invalidPrivateKey }
        defer { unsafe EVP_PKEY_free(key) }
        guard unsafe KeyText.isKey(key, onCurve: curve.name),
            let scalar = unsafe Self.number(key, OSSL_PKEY_PARAM_PRIV_KEY),
            let x = unsafe Self.number(key, OSSL_PKEY_PARAM_EC_PUB_X), scalar.isBelow(curve.group.order)
        else { throw .invalidPrivateKey }
        var bytes = scalar.bytes(count: curve.fieldCount)
        try self.init(curve, scalar: SecretBytes(wiping: &bytes))
        guard publicKey.x == x.bytes(count: curve.fieldCount) else { throw .invalidPrivateKey }
    }

    /// The key as PKCS #8 without a password, for a file of its owner's alone.
    package var pem: SecretBytes {
        let point = curve.group.basePoint(times: scalar)
        let encoded = [0x04] + point.x + point.y
        return unsafe encoded.withUnsafeBytes { encoded in
            let builder = unsafe LibCrypto.demand(OSSL_PARAM_BLD_new(), "OSSL_PARAM_BLD_new")
            defer { unsafe OSSL_PARAM_BLD_free(builder) }
            // The builder keeps addresses, not copies.
            func name(_ text: StaticString) -> UnsafePointer<CChar> {
                unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
            }
            return unsafe curve.name.withCString { curveName in
                unsafe LibCrypto.demand(
                    OSSL_PARAM_BLD_push_utf8_string(builder, name("group"), curveName, 0),
                    "OSSL_PARAM_BLD_push_utf8_string")
                unsafe LibCrypto.demand(
                    OSSL_PARAM_BLD_push_octet_string(builder, name("pub"), encoded.baseAddress, encoded.count),
                    "OSSL_PARAM_BLD_push_octet_string")
                unsafe LibCrypto.demand(
                    OSSL_PARAM_BLD_push_BN(builder, name("priv"), scalar.pointer), "OSSL_PARAM_BLD_push_BN")
                let parameters = unsafe OSSL_PARAM_BLD_to_param(builder)
                defer { unsafe OSSL_PARAM_free(parameters) }
                let context = unsafe LibCrypto.demand(
                    EVP_PKEY_CTX_new_from_name(nil, "EC", nil), "EVP_PKEY_CTX_new_from_name")
                defer { unsafe EVP_PKEY_CTX_free(context) }
                unsafe LibCrypto.demand(EVP_PKEY_fromdata_init(context), "EVP_PKEY_fromdata_init")
                let parts =
                    OSSL_KEYMGMT_SELECT_PRIVATE_KEY | OSSL_KEYMGMT_SELECT_PUBLIC_KEY
                    | OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS
                var key: OpaquePointer?
                unsafe LibCrypto.demand(EVP_PKEY_fromdata(context, &key, parts, parameters), "EVP_PKEY_fromdata")
                defer { unsafe EVP_PKEY_free(key) }
                return unsafe KeyText.text(ofPrivate: LibCrypto.demand(key, "EVP_PKEY_fromdata"))
            }
        }
    }

    /// Nil if the key does not have the number.
    private static func number(_ key: OpaquePointer, _ name: UnsafePointer<CChar>) -> SecretInteger? {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(key, name, &number) == 1, let number = unsafe number else {
            ERR_clear_error()
            return nil
        }
        defer { unsafe BN_clear_free(number) }
        return unsafe SecretInteger(copying: number)
    }
}

extension EllipticCurve {
    /// libcrypto's name of the curve.
    fileprivate var name: String {
        switch self {
        case .p256: "prime256v1"
        case .p521: "secp521r1"
        }
    }
}

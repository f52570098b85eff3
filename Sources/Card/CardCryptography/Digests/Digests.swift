public import Bytes

/// SHA-1 (FIPS 180-4, 6.1): the hash of EMV's RSA certificates and signatures (EMV 4.4 Book 2,
/// B3.1). 20 bytes.
public enum SHA1 {
    /// The digest of `parts` joined.
    public static func hash(_ parts: [UInt8]...) -> [UInt8] {
        var context = SHA1Context()
        for part in parts { context.update(part.span) }
        return context.finish()
    }

    /// The digest of `bytes`.
    public static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        var context = SHA1Context()
        context.update(bytes)
        return context.finish()
    }
}

/// SHA-256 (FIPS 180-4, 6.2). 32 bytes.
public enum SHA256 {
    /// The digest of `parts` joined.
    public static func hash(_ parts: [UInt8]...) -> [UInt8] {
        let context = DigestContext(.sha256)
        for part in parts { context.update(part.span) }
        return context.finish()
    }

    /// The digest of `bytes`.
    public static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        let context = DigestContext(.sha256)
        context.update(bytes)
        return context.finish()
    }
}

/// SHA-512 (FIPS 180-4, 6.4). 64 bytes.
public enum SHA512 {
    /// The digest of `parts` joined.
    public static func hash(_ parts: [UInt8]...) -> [UInt8] {
        let context = DigestContext(.sha512)
        for part in parts { context.update(part.span) }
        return context.finish()
    }
}

/// MD5 (RFC 1321). 16 bytes.
///
/// It is broken, and only for old interfaces that support no other hash. Security must not depend
/// on it.
public enum MD5 {
    public static func hash(_ parts: [UInt8]...) -> [UInt8] {
        let context = DigestContext(.md5)
        for part in parts { context.update(part.span) }
        return context.finish()
    }
}

/// HMAC with SHA-256 (RFC 2104, FIPS 198-1). 32 bytes.
public enum HMACSHA256 {
    public static func authenticate(_ data: [UInt8], key: SecretBytes) -> [UInt8] {
        MessageAuthentication.hmacSHA256.code(over: data.span, key: key)
    }

    /// Whether `code` authenticates `data`, in constant time.
    public static func isValid(_ code: [UInt8], for data: [UInt8], key: SecretBytes) -> Bool {
        constantTimeEqual(authenticate(data, key: key).span, code.span)
    }
}

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

/// MD5 (RFC 1321). 16 bytes.
///
/// Broken as a hash, and here only to speak with old interfaces that know no other. Nothing may rest its security on it.
public enum MD5 {
    public static func hash(_ parts: [UInt8]...) -> [UInt8] {
        let context = DigestContext(.md5)
        for part in parts { context.update(part.span) }
        return context.finish()
    }
}

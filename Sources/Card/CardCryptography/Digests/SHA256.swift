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

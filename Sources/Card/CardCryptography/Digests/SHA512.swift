/// SHA-512 (FIPS 180-4, 6.4). 64 bytes.
public enum SHA512 {
    /// The digest of `parts` joined.
    public static func hash(_ parts: [UInt8]...) -> [UInt8] {
        let context = DigestContext(.sha512)
        for part in parts { context.update(part.span) }
        return context.finish()
    }
}

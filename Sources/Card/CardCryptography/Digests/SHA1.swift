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

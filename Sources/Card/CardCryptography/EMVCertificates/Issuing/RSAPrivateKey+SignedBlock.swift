extension RSAPrivateKey {
    /// The signature with message recovery on 6A ‖ `content` ‖ hash ‖ BC (EMV 4.4 Book 2, A2.1.2),
    /// the hash being SHA-1 over `content` and `appended` data, which is hashed but not recovered.
    ///
    /// - Parameter content: format and fields, 22 bytes shorter than the modulus.
    func signBlock(_ content: [UInt8], hashedWith appended: [UInt8]...) throws(IssuingError) -> [UInt8] {
        var digest = SHA1Context()
        digest.update(content.span)
        for part in appended { digest.update(part.span) }
        do {
            return try sign([RecoveredBlock.header] + content + digest.finish() + [RecoveredBlock.trailer])
        } catch {
            throw .key(error)
        }
    }

    /// The bytes of a signed block that remain beside fixed fields of `overhead` bytes.
    func room(besides overhead: Int) throws(IssuingError) -> Int {
        let count = publicKey.modulus.count
        guard count >= overhead else { throw .modulusTooShort(modulusCount: count) }
        return count - overhead
    }
}

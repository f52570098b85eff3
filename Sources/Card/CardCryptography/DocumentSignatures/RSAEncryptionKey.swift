/// A public key that enciphers short texts for its owner: RSAES-PKCS1-v1_5 (RFC 8017, 7.2), for old
/// interfaces that support no other. What answers to such a cryptogram must not say whether its
/// padding was right.
public struct RSAEncryptionKey: Sendable {
    private let handle: SignatureKeyHandle

    /// - Parameter key: A SubjectPublicKeyInfo in PEM or DER, of 1024 to 4096 bits.
    public init(_ key: [UInt8]) throws(RSASignatureKeyError) {
        guard let handle = SignatureKeyHandle.publicKey(pem: key) ?? SignatureKeyHandle.publicKey(der: key) else {
            throw .notAKey
        }
        guard let bits = handle.modulusBits, (1024...4096).contains(bits) else { throw .notSupported }
        self.handle = handle
    }

    /// The cryptogram, as long as the modulus, another one each time; nil if `message` has fewer
    /// than 11 bytes less than that.
    public func encipher(_ message: [UInt8]) -> [UInt8]? { handle.encipher(message) }
}

extension RSASignatureKey {
    /// What ``RSAEncryptionKey/encipher(_:)`` has enciphered for this key; nil for another
    /// cryptogram. Only for a bench that plays the owner of such an interface.
    package func decipher(_ cryptogram: [UInt8]) -> [UInt8]? { handle.decipher(cryptogram) }
}

public import Bytes

/// A key for authenticated encryption of stored data: AES-256-GCM (NIST SP 800-38D). 32 bytes.
///
/// Nonces are random, so one key may seal at most 2³² messages (SP 800-38D, 8.3).
public struct AEADKey: Sendable, Equatable {
    public let bytes: SecretBytes

    public init(_ bytes: SecretBytes) throws(CipherError) {
        guard bytes.count == 32 else { throw .keyLength(bytes.count) }
        self.bytes = bytes
    }

    /// A new random key.
    public static func generate() -> AEADKey {
        var bytes = SecureRandom.bytes(32)
        return AEADKey(checked: SecretBytes(wiping: &bytes))
    }

    private init(checked bytes: SecretBytes) {
        self.bytes = bytes
    }

    /// Nonce (12 bytes) ‖ ciphertext ‖ tag (16 bytes).
    ///
    /// - Parameter associated: data that are not encrypted but must be the same for
    ///   ``open(_:authenticating:)``, such as the purpose or the name of the record.
    public func seal(_ plaintext: SecretBytes, authenticating associated: [UInt8] = []) -> [UInt8] {
        let nonce = SecureRandom.bytes(GaloisCounterMode.nonceCount)
        return nonce
            + plaintext.withBytes {
                GaloisCounterMode.aes256.seal($0, authenticating: associated, nonce: nonce, key: bytes)
            }
    }

    /// The plaintext of a result of ``seal(_:authenticating:)``; throws
    /// ``CipherError/authentication`` for other data.
    public func open(_ sealed: [UInt8], authenticating associated: [UInt8] = []) throws(CipherError) -> SecretBytes {
        let (nonceCount, tagCount) = (GaloisCounterMode.nonceCount, GaloisCounterMode.tagCount)
        guard sealed.count >= nonceCount + tagCount else { throw .authentication }
        let plaintext = GaloisCounterMode.aes256.open(
            sealed.span.extracting(nonceCount..<sealed.count - tagCount), tag: Array(sealed.suffix(tagCount)),
            authenticating: associated, nonce: Array(sealed.prefix(nonceCount)), key: bytes)
        guard let plaintext else { throw .authentication }
        return plaintext
    }
}

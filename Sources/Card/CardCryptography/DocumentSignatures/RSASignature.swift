public import Bytes

/// The hash of an RSASSA-PKCS1-v1_5 signature (RFC 8017, 8.2).
public enum RSASignatureHash: Sendable, Equatable {
    /// For old interfaces that support no other: collisions of SHA-1 can be made.
    case sha1
    case sha256
}

/// Why a key is not accepted for RSA signatures. No case carries key bytes.
public enum RSASignatureKeyError: Error, Equatable, Sendable {
    /// Not a key in PEM or DER, or one that is encrypted with a password.
    case notAKey
    /// A key of another kind, or of less than 1024 or more than 4096 bits.
    case notSupported
}

extension RSASignatureKeyError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notAKey: "not an RSA key in PEM or DER without a password"
        case .notSupported: "the key is not an RSA key of 1024 to 4096 bits"
        }
    }
}

extension SignatureKeyHandle {
    fileprivate func ofRSA() throws(RSASignatureKeyError) -> SignatureKeyHandle {
        guard let bits = modulusBits, (1024...4096).contains(bits) else { throw .notSupported }
        return self
    }
}

/// A public key that verifies RSASSA-PKCS1-v1_5 signatures (RFC 8017, 8.2.2), as `openssl dgst -sign`
/// makes them.
public struct RSASignatureVerificationKey: Sendable {
    private let handle: SignatureKeyHandle

    /// - Parameter key: A SubjectPublicKeyInfo in PEM or DER, as `openssl pkey -pubout` writes it.
    public init(_ key: [UInt8]) throws(RSASignatureKeyError) {
        guard let handle = SignatureKeyHandle.publicKey(pem: key) ?? SignatureKeyHandle.publicKey(der: key) else {
            throw .notAKey
        }
        self.handle = try handle.ofRSA()
    }

    /// Whether `signature` is over `message`.
    public func verifies(_ signature: [UInt8], over message: [UInt8], _ hash: RSASignatureHash) -> Bool {
        handle.verifies(signature, over: message, hash.name)
    }
}

/// A private key that makes the signatures that ``RSASignatureVerificationKey`` verifies. The same
/// message has the same signature each time.
public struct RSASignatureKey: Sendable {
    let handle: SignatureKeyHandle

    /// - Parameter key: A private key without a password, PKCS #8 or PKCS #1, in PEM or DER.
    public init(_ key: SecretBytes) throws(RSASignatureKeyError) {
        guard let handle = SignatureKeyHandle.privateKey(pem: key) ?? SignatureKeyHandle.privateKey(der: key) else {
            throw .notAKey
        }
        self.handle = try handle.ofRSA()
    }

    /// As many bytes as the modulus has.
    public func sign(_ message: [UInt8], _ hash: RSASignatureHash) -> [UInt8] { handle.sign(message, hash.name) }

    /// The key that verifies this one's signatures.
    public var verificationKey: RSASignatureVerificationKey { RSASignatureVerificationKey(handle) }
}

extension RSASignatureVerificationKey {
    /// A private key's handle has the public key, too.
    fileprivate init(_ handle: SignatureKeyHandle) { self.handle = handle }
}

extension RSASignatureHash {
    /// libcrypto's name.
    fileprivate var name: String {
        switch self {
        case .sha1: "SHA1"
        case .sha256: "SHA256"
        }
    }
}

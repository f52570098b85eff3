package import Bytes

/// Why a key is not accepted for signatures over documents. No case carries key bytes.
package enum DocumentSignatureKeyError: Error, Equatable, Sendable {
    /// Not a key in PEM, or one that is encrypted with a password.
    case notAKey
    /// Neither RSA of 2048 to 4096 bits nor P-256.
    case notSupported
}

extension DocumentSignatureKeyError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAKey: "not a key in PEM without a password"
        case .notSupported: "the key is neither RSA of 2048 to 4096 bits nor on P-256"
        }
    }
}

extension SignatureKeyHandle {
    fileprivate func supported() throws(DocumentSignatureKeyError) -> SignatureKeyHandle {
        if let bits = modulusBits, (2048...4096).contains(bits) { return self }
        guard isP256 else { throw .notSupported }
        return self
    }
}

/// A public key that verifies detached signatures over documents: RSASSA-PKCS1-v1_5 (RFC 8017,
/// 8.2) or ECDSA on P-256 (FIPS 186-5, 6), both with SHA-256. `openssl dgst -sha256 -sign` makes
/// such signatures.
package struct DocumentVerificationKey: Sendable {
    private let handle: SignatureKeyHandle

    /// - Parameter pem: A SubjectPublicKeyInfo in PEM, as `openssl pkey -pubout` writes it.
    package init(pem: [UInt8]) throws(DocumentSignatureKeyError) {
        guard let handle = SignatureKeyHandle.publicKey(pem: pem) else { throw .notAKey }
        self.handle = try handle.supported()
    }

    /// Whether `signature`, for P-256 a DER sequence of r and s, is over `document`.
    package func verifies(_ signature: [UInt8], over document: [UInt8]) -> Bool {
        handle.verifies(signature, over: document)
    }
}

/// A private key that makes the signatures that ``DocumentVerificationKey`` verifies.
package struct DocumentSigningKey: Sendable {
    private let handle: SignatureKeyHandle

    /// - Parameter pem: A private key in PEM without a password, as `openssl genpkey` writes it.
    package init(pem: SecretBytes) throws(DocumentSignatureKeyError) {
        guard let handle = SignatureKeyHandle.privateKey(pem: pem) else { throw .notAKey }
        self.handle = try handle.supported()
    }

    /// The signature over `document`.
    package func sign(_ document: [UInt8]) -> [UInt8] { handle.sign(document) }
}

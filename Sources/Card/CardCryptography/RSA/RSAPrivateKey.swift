public import Bytes

/// An RSA private key of a card, an issuer or a certification authority: the bare operation x ↦ xᵈ
/// mod n, without padding (EMV 4.4 Book 2, A2.1 and B2.1).
public struct RSAPrivateKey: Sendable {
    public let publicKey: RSAPublicKey
    private let handle: PrivateKeyHandle

    /// A new key of `modulusBits` bits, whole bytes, 512 to 1984, with public exponent 3 or 65537.
    public static func generate(modulusBits: Int, exponent: Int) throws(RSAError) -> RSAPrivateKey {
        guard modulusBits.isMultiple(of: 8), (512...8 * RSAPublicKey.maximumModulusCount).contains(modulusBits) else {
            throw .unsupportedModulusLength(bits: modulusBits)
        }
        let exponentBytes = try encode(exponent: exponent)
        // fits: both checked above
        guard let handle = PrivateKeyHandle.generate(modulusBits: Int32(modulusBits), exponent: UInt(exponent)) else {
            throw .unsupportedModulusLength(bits: modulusBits)
        }
        return RSAPrivateKey(
            publicKey: try RSAPublicKey(modulus: handle.modulus, exponent: exponentBytes), handle: handle)
    }

    /// The key whose modulus is `prime1` × `prime2`, each most significant byte first, with public
    /// exponent 3 or 65537.
    ///
    /// Primality is not tested, but the consistency of the parts is.
    public init(prime1: SecretBytes, prime2: SecretBytes, exponent: Int) throws(RSAError) {
        let exponentBytes = try RSAPrivateKey.encode(exponent: exponent)
        let longest = RSAPublicKey.maximumModulusCount
        guard (1...longest).contains(prime1.count), (1...longest).contains(prime2.count) else {
            throw .invalidPrivateKey
        }
        let (p, q, e) = (SecretInteger(prime1), SecretInteger(prime2), SecretInteger(exponentBytes))
        let n = p * q
        let publicKey = try RSAPublicKey(modulus: n.bytes, exponent: exponentBytes)
        let (p1, q1) = (p.decremented, q.decremented)
        guard p.bytes != [1], q.bytes != [1] else { throw .invalidPrivateKey }
        guard let d = e.inverse(modulo: p1 * q1), let coefficient = q.inverse(modulo: p) else {
            throw .invalidPrivateKey
        }
        self = try RSAPrivateKey.load(
            publicKey: publicKey,
            parts: [
                ("n", n), ("e", e), ("d", d), ("rsa-factor1", p), ("rsa-factor2", q),
                ("rsa-exponent1", d.modulo(p1)), ("rsa-exponent2", d.modulo(q1)), ("rsa-coefficient1", coefficient),
            ])
    }

    /// The key of `publicKey` with the private exponent d, most significant byte first. Slower than
    /// one from its primes.
    public init(publicKey: RSAPublicKey, privateExponent: SecretBytes) throws(RSAError) {
        guard privateExponent.count <= publicKey.modulus.count else { throw .invalidPrivateKey }
        self = try RSAPrivateKey.load(
            publicKey: publicKey,
            parts: [
                ("n", SecretInteger(publicKey.modulus)), ("e", SecretInteger(publicKey.exponent)),
                ("d", SecretInteger(privateExponent)),
            ])
    }

    private init(publicKey: RSAPublicKey, handle: PrivateKeyHandle) {
        self.publicKey = publicKey
        self.handle = handle
    }

    private static func load(
        publicKey: RSAPublicKey, parts: [(name: StaticString, number: SecretInteger)]
    ) throws(RSAError) -> RSAPrivateKey {
        guard let handle = PrivateKeyHandle.load(parts) else { throw .invalidPrivateKey }
        return try RSAPrivateKey(checking: handle, publicKey)
    }

    /// Checks that the private key is that of `publicKey`.
    private init(checking handle: PrivateKeyHandle, _ publicKey: RSAPublicKey) throws(RSAError) {
        self.init(publicKey: publicKey, handle: handle)
        let probe = [UInt8](repeating: 0, count: publicKey.modulus.count - 1) + [2]
        guard try publicKey.recover(sign(probe)) == probe else { throw .invalidPrivateKey }
    }

    private static func encode(exponent: Int) throws(RSAError) -> [UInt8] {
        switch exponent {
        case 3: [3]
        case 65537: [1, 0, 1]
        default: throw .unsupportedExponent
        }
    }
}

extension RSAPrivateKey {
    /// A key in PEM, as libcrypto writes it (PKCS #8), without a password.
    ///
    /// - Throws: ``RSAError/invalidPrivateKey`` for another text and a key of another kind, and for
    ///   a key that is longer than EMV's as ``RSAPublicKey/init(modulus:exponent:)``.
    package init(pem: SecretBytes) throws(RSAError) {
        guard let handle = PrivateKeyHandle.read(pem: pem) else { throw .invalidPrivateKey }
        try self.init(checking: handle, RSAPublicKey(modulus: handle.modulus, exponent: handle.exponent))
    }

    /// The key as PKCS #8 without a password, for a file of its owner's alone.
    package var pem: SecretBytes { handle.pem }
}

extension RSAPrivateKey {
    /// The signature on `block`, a number below the modulus and of the same length.
    public func sign(_ block: [UInt8]) throws(RSAError) -> [UInt8] {
        let modulus = publicKey.modulus
        guard block.count == modulus.count else {
            throw .lengthMismatch(count: block.count, modulusCount: modulus.count)
        }
        guard block.span.isBelow(modulus.span) else { throw .notBelowModulus }
        guard let signature = handle.power(block) else { throw .invalidPrivateKey }
        return signature
    }

    /// The same operation as decipherment of data under the public key (EMV 4.4 Book 2, 7.2).
    public func decipher(_ cryptogram: [UInt8]) throws(RSAError) -> [UInt8] {
        try sign(cryptogram)
    }
}

/// A public key certificate and its remainder on the card.
public struct IssuedCertificate: Sendable, Equatable {
    /// Tag 90, 9F46 or 9F2D: as long as the signer's modulus.
    public let certificate: [UInt8]
    /// Tag 92, 9F48 or 9F2F: the end of the modulus that did not fit; empty if all of it did.
    public let remainder: [UInt8]
}

extension PublicKeyCertificate {
    /// Signs a certificate for `key`.
    ///
    /// - Parameter staticData: data that are hashed after the certificate's; empty for issuer and
    ///   PIN encipherment keys.
    static func issue(
        for key: RSAPublicKey, identity: [UInt8], expiry: [UInt8], serialNumber: [UInt8], profile: Profile,
        staticData: [UInt8],
        signer: RSAPrivateKey
    ) throws(IssuingError) -> IssuedCertificate {
        try IssuingError.check(identity, count: profile.identityCount)
        try IssuingError.check(expiry, count: 2)
        try IssuingError.check(serialNumber, count: 3)
        let available = try signer.room(besides: profile.overhead)
        let inside = key.modulus.prefix(available)
        let padding = [UInt8](repeating: 0xBB, count: available - inside.count)
        let remainder = Array(key.modulus.dropFirst(available))
        var content = [profile.format] + identity + expiry + serialNumber
        content += [HashAlgorithmIndicator.sha1, PublicKeyAlgorithmIndicator.rsa]
        // fits: a modulus has at most 248 bytes, an exponent 3
        content += [UInt8(key.modulus.count), UInt8(key.exponent.count)]
        content += inside + padding
        let certificate = try signer.signBlock(content, hashedWith: remainder, key.exponent, staticData)
        return IssuedCertificate(certificate: certificate, remainder: remainder)
    }
}

extension IssuerPublicKeyCertificate {
    /// Makes tags 90 and 92 for an issuer's key; tag 9F32 is the key's exponent (EMV 4.4 Book 2,
    /// 5.1 and 6.1, table 2).
    ///
    /// - Parameters:
    ///   - issuerIdentifier: leftmost 3 to 8 PAN digits, cn, padded with F; 4 bytes.
    ///   - expiry: MMYY, 2 bytes.
    ///   - serialNumber: 3 bytes.
    public static func issue(
        for key: RSAPublicKey, issuerIdentifier: [UInt8], expiry: [UInt8], serialNumber: [UInt8], by ca: RSAPrivateKey
    ) throws(IssuingError) -> IssuedCertificate {
        try PublicKeyCertificate.issue(
            for: key, identity: issuerIdentifier, expiry: expiry, serialNumber: serialNumber, profile: .issuer,
            staticData: [], signer: ca)
    }
}

extension ICCPublicKeyCertificate {
    /// Makes tags 9F46 and 9F48 for a card's key; tag 9F47 is the key's exponent (EMV 4.4 Book 2,
    /// 6.1, table 10).
    ///
    /// - Parameters:
    ///   - pan: cn, padded with F; 10 bytes.
    ///   - expiry: MMYY, 2 bytes.
    ///   - serialNumber: 3 bytes.
    ///   - staticData: the static data to be authenticated (Book 3, 10.3).
    public static func issue(
        for key: RSAPublicKey, pan: [UInt8], expiry: [UInt8], serialNumber: [UInt8], staticData: [UInt8],
        by issuer: RSAPrivateKey
    ) throws(IssuingError) -> IssuedCertificate {
        try PublicKeyCertificate.issue(
            for: key, identity: pan, expiry: expiry, serialNumber: serialNumber, profile: .icc, staticData: staticData,
            signer: issuer)
    }

    /// Makes tags 9F2D and 9F2F for a card's PIN encipherment key; tag 9F2E is its exponent (EMV
    /// 4.4 Book 2, 7.1, table 23).
    ///
    /// The parameters are those of ``issue(for:pan:expiry:serialNumber:staticData:by:)``.
    public static func issuePINEncipherment(
        for key: RSAPublicKey, pan: [UInt8], expiry: [UInt8], serialNumber: [UInt8], by issuer: RSAPrivateKey
    ) throws(IssuingError) -> IssuedCertificate {
        try issue(for: key, pan: pan, expiry: expiry, serialNumber: serialNumber, staticData: [], by: issuer)
    }
}

extension SignedStaticApplicationData {
    /// Makes tag 93 (EMV 4.4 Book 2, 5.1, table 3).
    ///
    /// - Parameters:
    ///   - dataAuthenticationCode: the issuer's choice, 2 bytes.
    ///   - staticData: the static data to be authenticated (Book 3, 10.3).
    public static func sign(
        dataAuthenticationCode: [UInt8], staticData: [UInt8], by issuer: RSAPrivateKey
    ) throws(IssuingError) -> [UInt8] {
        try IssuingError.check(dataAuthenticationCode, count: 2)
        let available = try issuer.room(besides: overhead)
        return try issuer.signBlock(
            [format, HashAlgorithmIndicator.sha1] + dataAuthenticationCode + [UInt8](repeating: 0xBB, count: available),
            hashedWith: staticData)
    }
}

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

/// Why a certificate or signature cannot be made.
public enum IssuingError: Error, Equatable, Sendable {
    /// The signer's modulus of `modulusCount` bytes is too short for the format's fields.
    case modulusTooShort(modulusCount: Int)
    /// A field has `count` bytes instead of `expected`.
    case fieldLength(count: Int, expected: Int)
    /// The signature itself fails.
    case key(RSAError)
    /// The signer's key is on another curve than its suite.
    case curveKey(EllipticCurveError)
}

extension IssuingError {
    static func check(_ field: [UInt8], count: Int) throws(IssuingError) {
        guard field.count == count else { throw .fieldLength(count: field.count, expected: count) }
    }
}

extension IssuingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .modulusTooShort(let count): "the signer's modulus of \(count) bytes is too short for what it has to sign"
        case .fieldLength(let count, let expected): "a field has \(count) bytes and not \(expected)"
        case .key(let error): "\(error)"
        case .curveKey(let error): "\(error)"
        }
    }
}

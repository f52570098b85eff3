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
        for key: RSAPublicKey, identity: [UInt8], expiry: [UInt8], serialNumber: [UInt8], profile: Profile, staticData: [UInt8],
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

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
            for: key, identity: issuerIdentifier, expiry: expiry, serialNumber: serialNumber, profile: .issuer, staticData: [], signer: ca)
    }
}

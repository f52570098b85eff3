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
        for key: RSAPublicKey, pan: [UInt8], expiry: [UInt8], serialNumber: [UInt8], staticData: [UInt8], by issuer: RSAPrivateKey
    ) throws(IssuingError) -> IssuedCertificate {
        try PublicKeyCertificate.issue(
            for: key, identity: pan, expiry: expiry, serialNumber: serialNumber, profile: .icc, staticData: staticData, signer: issuer)
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

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

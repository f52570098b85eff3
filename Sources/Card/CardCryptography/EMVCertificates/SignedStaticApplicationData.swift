/// The signature on a card's static data for SDA (tag 93, EMV 4.4 Book 2, 5.4).
///
/// Recovered (table 7): 6A ‖ 03 ‖ hash algorithm ‖ data authentication code (2) ‖ BB … BB ‖ hash
/// (20) ‖ BC.
public enum SignedStaticApplicationData {
    static let format: UInt8 = 0x03
    /// Bytes of all fields except the padding.
    static let overhead = 26

    /// Verifies the signature on `staticData` and returns the data authentication code (tag 9F45, 2
    /// bytes).
    ///
    /// - Parameters:
    ///   - ssad: tag 93.
    ///   - staticData: the static data to be authenticated (Book 3, 10.3), including the AIP if tag
    ///     9F4A lists it.
    public static func verify(
        _ ssad: [UInt8], issuer: RSAPublicKey, staticData: [UInt8]
    ) throws(CertificateError) -> [UInt8] {
        let block = try RecoveredBlock(ssad.span, key: issuer, format: format, overhead: overhead)
        try block.checkHash(algorithm: block.bytes[2], with: staticData)
        return Array(block.bytes[3..<5])
    }
}

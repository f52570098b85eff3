/// A Visa contactless card's signature on dynamic data, tag 9F4B: fast DDA (EMV Contactless Book C-3, 5.6).
///
/// The block is that of DDA (EMV 4.4 Book 2, table 15) with a format byte that tells what the card decided. The signature does not cover the
/// application cryptogram. The bytes signed are those that open test cards and a recorded phone show; `docs/conformance-contactless.md` names them.
public enum FastDynamicDataAuthentication {
    /// Signed data format, the second byte of the recovered block.
    public enum Format: UInt8, Sendable {
        /// With a TC: the card approves offline.
        case offline = 0x05
        /// With an ARQC, for readers that authenticate the card before the issuer answers.
        case online = 0x95
    }

    /// What the hash covers behind the signed block: unpredictable number ‖ amount ‖ currency ‖ card authentication related data.
    ///
    /// - Parameters:
    ///   - unpredictableNumber: tag 9F37, 4 bytes.
    ///   - amount: tag 9F02, 6 bytes.
    ///   - currency: tag 5F2A, 2 bytes.
    ///   - relatedData: tag 9F69, 5 to 16 bytes, the fDDA version number first.
    public static func dynamicData(
        unpredictableNumber: [UInt8], amount: [UInt8], currency: [UInt8], relatedData: [UInt8]
    ) -> [UInt8] {
        unpredictableNumber + amount + currency + relatedData
    }

    /// The ICC dynamic number (tag 9F4C), once the signature on `dynamicData` is right.
    ///
    /// - Parameters:
    ///   - signature: tag 9F4B.
    ///   - key: the ICC public key.
    ///   - format: the one that the card's cryptogram calls for; a signature of the other is refused.
    public static func verify(
        _ signature: [UInt8], key: RSAPublicKey, format: Format, dynamicData: [UInt8]
    ) throws(CertificateError) -> [UInt8] {
        try SignedDynamicApplicationData.verifyDDA(
            signature, key: key, format: format.rawValue, terminalDynamicData: dynamicData)
    }

    /// Makes tag 9F4B.
    ///
    /// - Parameter iccDynamicNumber: tag 9F4C, 2 to 8 bytes.
    public static func sign(
        iccDynamicNumber: [UInt8], format: Format, dynamicData: [UInt8], by card: RSAPrivateKey
    ) throws(IssuingError) -> [UInt8] {
        try SignedDynamicApplicationData.signDDA(
            iccDynamicNumber: iccDynamicNumber, format: format.rawValue, terminalDynamicData: dynamicData, by: card)
    }
}

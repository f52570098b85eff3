/// A Visa contactless card's signature on dynamic data, tag 9F4B: fast DDA (EMV Contactless Book
/// C-3, 5.6).
///
/// The block is that of DDA (EMV 4.4 Book 2, table 15) with a format byte for the card's decision.
/// The signature does not cover the application cryptogram. The signed bytes are known from open
/// test cards and a recorded phone, listed in `docs/conformance-contactless.md`.
public enum FastDynamicDataAuthentication {
    /// Signed data format, the second byte of the recovered block.
    public enum Format: UInt8, Sendable {
        /// With a TC: the card approves offline.
        case offline = 0x05
        /// With an ARQC, for readers that authenticate the card before the issuer answers.
        case online = 0x95
    }

    /// The data that the hash covers after the signed block: unpredictable number ‖ amount ‖
    /// currency ‖ card authentication related data.
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

    /// Verifies the signature on `dynamicData` and returns the ICC dynamic number (tag 9F4C).
    ///
    /// - Parameters:
    ///   - signature: tag 9F4B.
    ///   - key: the ICC public key.
    ///   - format: the format for the card's cryptogram; a signature in the other format is
    ///     refused.
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

extension SignedDynamicApplicationData {
    /// Makes tag 9F4B for DDA (EMV 4.4 Book 2, 6.5.1, table 15).
    ///
    /// - Parameters:
    ///   - iccDynamicNumber: tag 9F4C, 2 to 8 bytes.
    ///   - terminalDynamicData: the data of INTERNAL AUTHENTICATE.
    public static func signDDA(
        iccDynamicNumber: [UInt8], terminalDynamicData: [UInt8], by card: RSAPrivateKey
    ) throws(IssuingError) -> [UInt8] {
        try signDDA(
            iccDynamicNumber: iccDynamicNumber, format: format, terminalDynamicData: terminalDynamicData, by: card)
    }

    static func signDDA(
        iccDynamicNumber: [UInt8], format: UInt8, terminalDynamicData: [UInt8], by card: RSAPrivateKey
    ) throws(IssuingError) -> [UInt8] {
        try sign(lengthPrefixed(iccDynamicNumber), format: format, hashedWith: terminalDynamicData, by: card)
    }

    /// Makes tag 9F4B for CDA (EMV 4.4 Book 2, 6.6.1, tables 18 and 19).
    ///
    /// - Parameters:
    ///   - iccDynamicNumber: tag 9F4C, 2 to 8 bytes.
    ///   - applicationCryptogram: tag 9F26, 8 bytes.
    ///   - transactionData: as for ``CombinedData/verifyTransactionData(_:)``.
    ///   - unpredictableNumber: tag 9F37, 4 bytes.
    ///   - contactlessData: see ``CombinedData/contactlessData``.
    public static func signCDA(
        iccDynamicNumber: [UInt8], cryptogramInformationData: UInt8, applicationCryptogram: [UInt8],
        transactionData: [UInt8],
        unpredictableNumber: [UInt8], contactlessData: [UInt8] = [], by card: RSAPrivateKey
    ) throws(IssuingError) -> [UInt8] {
        try IssuingError.check(applicationCryptogram, count: 8)
        let dynamicData =
            try lengthPrefixed(iccDynamicNumber) + [cryptogramInformationData] + applicationCryptogram
            + SHA1.hash(transactionData)
            + contactlessData
        return try sign(dynamicData, format: format, hashedWith: unpredictableNumber, by: card)
    }

    private static func lengthPrefixed(_ iccDynamicNumber: [UInt8]) throws(IssuingError) -> [UInt8] {
        guard dynamicNumberCounts.contains(iccDynamicNumber.count) else {
            throw .fieldLength(count: iccDynamicNumber.count, expected: dynamicNumberCounts.upperBound)
        }
        // fits: checked above
        return [UInt8(iccDynamicNumber.count)] + iccDynamicNumber
    }

    private static func sign(
        _ dynamicData: [UInt8], format: UInt8, hashedWith terminalData: [UInt8], by card: RSAPrivateKey
    ) throws(IssuingError) -> [UInt8] {
        let available = try card.room(besides: overhead + dynamicData.count)
        // fits: there is room for them in a block of at most 248 bytes
        let content = [format, HashAlgorithmIndicator.sha1, UInt8(dynamicData.count)] + dynamicData
        return try card.signBlock(content + [UInt8](repeating: 0xBB, count: available), hashedWith: terminalData)
    }
}

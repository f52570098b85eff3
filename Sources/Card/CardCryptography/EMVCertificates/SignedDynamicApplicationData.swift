/// A card's signature on dynamic data (tag 9F4B): DDA (EMV 4.4 Book 2, 6.5) and CDA (6.6).
///
/// Recovered (tables 17 and 22): 6A ‖ 05 ‖ hash algorithm ‖ length of dynamic data ‖ dynamic data ‖
/// BB … BB ‖ hash (20) ‖ BC. The dynamic data starts with the length of the ICC dynamic number and
/// the number (2 to 8 bytes); for CDA follow CID (1), application cryptogram (8) and transaction
/// data hash (20).
public enum SignedDynamicApplicationData {
    static let format: UInt8 = 0x05
    /// Bytes of all fields except the dynamic data and the padding.
    static let overhead = 25
    static let dynamicNumberCounts = 2...8

    /// The data that CDA signs (EMV 4.4 Book 2, table 19).
    public struct CombinedData: Sendable, Equatable {
        /// Tag 9F4C, 2 to 8 bytes.
        public let iccDynamicNumber: [UInt8]
        /// Tag 9F27.
        public let cryptogramInformationData: UInt8
        /// Tag 9F26, 8 bytes.
        public let applicationCryptogram: [UInt8]
        /// SHA-1 over the data that terminal and card exchanged, see ``verifyTransactionData(_:)``.
        /// 20 bytes.
        public let transactionDataHash: [UInt8]
        /// Additional signed data of a contactless card (EMV Contactless Book C-2), after the hash.
        public let contactlessData: [UInt8]
    }

    /// Verifies the signature on the terminal's data and returns the ICC dynamic number (tag 9F4C).
    ///
    /// - Parameters:
    ///   - sdad: tag 9F4B.
    ///   - key: the ICC public key.
    ///   - terminalDynamicData: the data of INTERNAL AUTHENTICATE, as listed in the DDOL.
    public static func verifyDDA(
        _ sdad: [UInt8], key: RSAPublicKey, terminalDynamicData: [UInt8]
    ) throws(CertificateError) -> [UInt8] {
        try verifyDDA(sdad, key: key, format: format, terminalDynamicData: terminalDynamicData)
    }

    static func verifyDDA(
        _ sdad: [UInt8], key: RSAPublicKey, format: UInt8, terminalDynamicData: [UInt8]
    ) throws(CertificateError) -> [UInt8] {
        Array(try dynamicNumber(in: recover(sdad, key: key, format: format, hashedWith: terminalDynamicData)))
    }

    /// Verifies the signature and returns the signed cryptogram. The transaction data hash must
    /// still be checked.
    ///
    /// - Parameters:
    ///   - sdad: tag 9F4B.
    ///   - key: the ICC public key.
    ///   - unpredictableNumber: tag 9F37, 4 bytes.
    public static func recoverCDA(
        _ sdad: [UInt8], key: RSAPublicKey, unpredictableNumber: [UInt8]
    ) throws(CertificateError) -> CombinedData {
        let data = try recover(sdad, key: key, format: format, hashedWith: unpredictableNumber)
        let number = try dynamicNumber(in: data)
        let rest = data[number.endIndex...]
        guard rest.count >= 29 else { throw .innerLength }
        let start = rest.startIndex
        return CombinedData(
            iccDynamicNumber: Array(number), cryptogramInformationData: rest[start],
            applicationCryptogram: Array(rest[start + 1..<start + 9]),
            transactionDataHash: Array(rest[start + 9..<start + 29]),
            contactlessData: Array(rest[(start + 29)...]))
    }

    private static func recover(
        _ sdad: [UInt8], key: RSAPublicKey, format: UInt8, hashedWith terminalData: [UInt8]
    ) throws(CertificateError) -> ArraySlice<UInt8> {
        let block = try RecoveredBlock(sdad.span, key: key, format: format, overhead: overhead)
        try block.checkHash(algorithm: block.bytes[2], with: terminalData)
        let count = Int(block.bytes[3])
        guard count <= block.bytes.count - overhead else { throw .innerLength }
        return block.bytes[4..<4 + count]
    }

    private static func dynamicNumber(in data: ArraySlice<UInt8>) throws(CertificateError) -> ArraySlice<UInt8> {
        guard let count = data.first.map(Int.init), dynamicNumberCounts.contains(count), data.count > count else {
            throw .innerLength
        }
        return data.dropFirst().prefix(count)
    }
}

extension SignedDynamicApplicationData.CombinedData {
    /// Steps 11 and 12 of 6.6.2: checks that the signed hash is that over `transactionData`.
    ///
    /// - Parameter transactionData: the values sent for the PDOL, for CDOL1 and, in a second
    ///   GENERATE AC, for CDOL2, followed by the data objects of the answer in their order, tags
    ///   and lengths included, without tag 9F4B.
    public func verifyTransactionData(_ transactionData: [UInt8]) throws(CertificateError) {
        guard SHA1.hash(transactionData) == transactionDataHash else { throw .transactionDataHash }
    }
}

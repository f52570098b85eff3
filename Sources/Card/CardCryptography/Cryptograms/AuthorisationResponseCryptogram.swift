internal import Bytes

/// The issuer's response to an ARQC, by which the card authenticates the issuer (EMV 4.4 Book 2,
/// 8.2).
public enum AuthorisationResponseCryptogram {
    /// Method 1 (8.2.1): ARQC ⊕ (ARC ‖ 00 × 6), enciphered; with AES in a block padded with zeros
    /// and truncated to its leftmost bytes. 8 bytes.
    ///
    /// - Parameters:
    ///   - arqc: 8 bytes.
    ///   - responseCode: the authorisation response code, tag 8A, 2 bytes.
    public static func method1(arqc: [UInt8], responseCode: [UInt8], key: CardKey) throws(CryptogramError) -> [UInt8] {
        try CryptogramError.check(arqc, count: 8)
        try CryptogramError.check(responseCode, count: 2)
        let block =
            [arqc[0] ^ responseCode[0], arqc[1] ^ responseCode[1]] + arqc[2...]
            + [UInt8](repeating: 0, count: key.blockSize - 8)
        return Array(key.encryptBlocks(block).prefix(8))
    }

    /// Method 2 (8.2.2): the leftmost 4 bytes of the MAC over ARQC ‖ CSU ‖ proprietary
    /// authentication data.
    ///
    /// - Parameters:
    ///   - arqc: 8 bytes.
    ///   - cardStatusUpdate: 4 bytes.
    ///   - proprietaryData: 0 to 8 bytes.
    public static func method2(
        arqc: [UInt8], cardStatusUpdate: [UInt8], proprietaryData: [UInt8] = [], key: CardKey
    ) throws(CryptogramError) -> [UInt8] {
        try CryptogramError.check(arqc, count: 8)
        try CryptogramError.check(cardStatusUpdate, count: 4)
        guard proprietaryData.count <= 8 else { throw .proprietaryDataLength(proprietaryData.count) }
        return Array(key.mac(arqc + cardStatusUpdate + proprietaryData).prefix(4))
    }

    /// Whether `responseCryptogram` equals `expected`, in constant time.
    public static func isValid(_ responseCryptogram: [UInt8], expected: [UInt8]) -> Bool {
        constantTimeEqual(responseCryptogram.span, expected.span)
    }
}

/// The issuer authentication data, tag 91, in the two codings of EMV 4.4 Book 2, 8.2.
public enum IssuerAuthenticationData: Sendable, Equatable {
    /// Method 1: ARPC (8 bytes) ‖ authorisation response code (2 bytes).
    case method1(arpc: [UInt8], responseCode: [UInt8])
    /// Method 2: ARPC (4 bytes) ‖ card status update (4 bytes) ‖ proprietary authentication data (0
    /// to 8 bytes).
    case method2(arpc: [UInt8], cardStatusUpdate: [UInt8], proprietaryData: [UInt8])

    /// The value of tag 91.
    public var bytes: [UInt8] {
        switch self {
        case .method1(let arpc, let responseCode): arpc + responseCode
        case .method2(let arpc, let cardStatusUpdate, let proprietaryData): arpc + cardStatusUpdate + proprietaryData
        }
    }
}

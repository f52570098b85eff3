/// TSI, tag `9B`: which functions the terminal performed (EMV 4.4 Book 3, annex C6).
public struct TransactionStatusInformation: BitField {
    public static let byteCount = 2
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let offlineDataAuthentication = Self(byte: 1, bit: 8)
    public static let cardholderVerification = Self(byte: 1, bit: 7)
    public static let cardRiskManagement = Self(byte: 1, bit: 6)
    public static let issuerAuthentication = Self(byte: 1, bit: 5)
    public static let terminalRiskManagement = Self(byte: 1, bit: 4)
    public static let scriptProcessing = Self(byte: 1, bit: 3)

    public static let meanings: [(Self, String)] = [
        (offlineDataAuthentication, "Offline data authentication was performed"),
        (cardholderVerification, "Cardholder verification was performed"),
        (cardRiskManagement, "Card risk management was performed"),
        (issuerAuthentication, "Issuer authentication was performed"),
        (terminalRiskManagement, "Terminal risk management was performed"),
        (scriptProcessing, "Script processing was performed"),
    ]
}

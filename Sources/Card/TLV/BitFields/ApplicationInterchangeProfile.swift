/// AIP, tag `82`: the functions that the application on the card supports (EMV 4.4 Book 3, annex
/// C1).
public struct ApplicationInterchangeProfile: BitField {
    public static let byteCount = 2
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let xdaSupported = Self(byte: 1, bit: 8)
    public static let sdaSupported = Self(byte: 1, bit: 7)
    public static let ddaSupported = Self(byte: 1, bit: 6)
    public static let cardholderVerificationSupported = Self(byte: 1, bit: 5)
    public static let terminalRiskManagement = Self(byte: 1, bit: 4)
    public static let issuerAuthenticationSupported = Self(byte: 1, bit: 3)
    public static let cdaSupported = Self(byte: 1, bit: 1)

    public static let meanings: [(Self, String)] = [
        (xdaSupported, "XDA supported"),
        (sdaSupported, "SDA supported"),
        (ddaSupported, "DDA supported"),
        (cardholderVerificationSupported, "Cardholder verification is supported"),
        (terminalRiskManagement, "Terminal risk management is to be performed"),
        (issuerAuthenticationSupported, "Issuer authentication using EXTERNAL AUTHENTICATE is supported"),
        (cdaSupported, "CDA supported"),
    ]
}

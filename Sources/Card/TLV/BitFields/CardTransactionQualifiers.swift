/// CTQ, tag `9F6C`: the requests of a contactless card to the reader (EMV Contactless Book C-3,
/// annex A2).
public struct CardTransactionQualifiers: BitField {
    public static let byteCount = 2
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let onlinePINRequired = Self(byte: 1, bit: 8)
    public static let signatureRequired = Self(byte: 1, bit: 7)
    public static let onlineIfDataAuthenticationFails = Self(byte: 1, bit: 6)
    public static let otherInterfaceIfDataAuthenticationFails = Self(byte: 1, bit: 5)
    public static let onlineIfExpired = Self(byte: 1, bit: 4)
    public static let otherInterfaceForCash = Self(byte: 1, bit: 3)
    public static let otherInterfaceForCashback = Self(byte: 1, bit: 2)
    public static let consumerDeviceCVMPerformed = Self(byte: 2, bit: 8)
    public static let issuerUpdateProcessing = Self(byte: 2, bit: 7)

    public static let meanings: [(Self, String)] = [
        (onlinePINRequired, "Online PIN required"),
        (signatureRequired, "Signature required"),
        (
            onlineIfDataAuthenticationFails,
            "Go online if offline data authentication fails and the reader is online capable"
        ),
        (
            otherInterfaceIfDataAuthenticationFails,
            "Switch interface if offline data authentication fails and the reader has a contact chip reader"
        ),
        (onlineIfExpired, "Go online if the application has expired"),
        (otherInterfaceForCash, "Switch interface for cash transactions"),
        (otherInterfaceForCashback, "Switch interface for cashback transactions"),
        // VCPS 2.2, supplemental requirements, annex D.
        (Self(byte: 1, bit: 1), "Not valid for contactless ATM transactions"),
        (consumerDeviceCVMPerformed, "Consumer device CVM performed"),
        (issuerUpdateProcessing, "Card supports issuer update processing at the point of sale"),
    ]
}

/// TTQ, tag `9F66`: the capabilities and requests of a contactless reader (EMV Contactless Book A,
/// 5.7, table 5-4).
public struct TerminalTransactionQualifiers: BitField {
    public static let byteCount = 4
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let magstripeMode = Self(byte: 1, bit: 8)
    public static let emvMode = Self(byte: 1, bit: 6)
    public static let contactChip = Self(byte: 1, bit: 5)
    public static let offlineOnlyReader = Self(byte: 1, bit: 4)
    public static let onlinePIN = Self(byte: 1, bit: 3)
    public static let signature = Self(byte: 1, bit: 2)
    public static let dataAuthenticationForOnline = Self(byte: 1, bit: 1)
    public static let onlineCryptogramRequired = Self(byte: 2, bit: 8)
    public static let cvmRequired = Self(byte: 2, bit: 7)
    public static let issuerUpdateProcessing = Self(byte: 3, bit: 8)
    public static let consumerDeviceCVM = Self(byte: 3, bit: 7)
    public static let fastDDAVersion01 = Self(byte: 4, bit: 8)

    public static let meanings: [(Self, String)] = [
        (magstripeMode, "Mag-stripe mode supported"),
        (emvMode, "EMV mode supported"),
        (contactChip, "EMV contact chip supported"),
        (offlineOnlyReader, "Offline-only reader"),
        (onlinePIN, "Online PIN supported"),
        (signature, "Signature supported"),
        (dataAuthenticationForOnline, "Offline data authentication for online authorisations supported"),
        (onlineCryptogramRequired, "Online cryptogram required"),
        (cvmRequired, "CVM required"),
        (Self(byte: 2, bit: 6), "Offline PIN supported on the contact chip"),
        (issuerUpdateProcessing, "Issuer update processing supported"),
        (consumerDeviceCVM, "Consumer device CVM supported"),
        // For newer kernels: EMV Contactless Book C-6 2.6, annex D.11, and Book C-7 2.9, table 3-1.
        (Self(byte: 3, bit: 4), "Consumer device CVM required"),
        (fastDDAVersion01, "fDDA version 01 supported"),
    ]
}

/// Terminal capabilities, tag `9F33` (EMV 4.4 Book 4, annex A2).
public struct TerminalCapabilities: BitField {
    public static let byteCount = 3
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let manualKeyEntry = Self(byte: 1, bit: 8)
    public static let magneticStripe = Self(byte: 1, bit: 7)
    public static let contactChip = Self(byte: 1, bit: 6)
    public static let plaintextOfflinePIN = Self(byte: 2, bit: 8)
    public static let encipheredOnlinePIN = Self(byte: 2, bit: 7)
    public static let signature = Self(byte: 2, bit: 6)
    public static let encipheredOfflinePINByRSA = Self(byte: 2, bit: 5)
    public static let noCVM = Self(byte: 2, bit: 4)
    public static let onlineBiometric = Self(byte: 2, bit: 3)
    public static let offlineBiometric = Self(byte: 2, bit: 2)
    public static let encipheredOfflinePINByECC = Self(byte: 2, bit: 1)
    public static let sda = Self(byte: 3, bit: 8)
    public static let dda = Self(byte: 3, bit: 7)
    public static let cardCapture = Self(byte: 3, bit: 6)
    public static let cda = Self(byte: 3, bit: 4)
    public static let xda = Self(byte: 3, bit: 3)

    public static let meanings: [(Self, String)] = [
        (manualKeyEntry, "Manual key entry"),
        (magneticStripe, "Magnetic stripe"),
        (contactChip, "IC with contacts"),
        (plaintextOfflinePIN, "Plaintext PIN for ICC verification"),
        (encipheredOnlinePIN, "Enciphered PIN for online verification"),
        (signature, "Signature"),
        (encipheredOfflinePINByRSA, "Enciphered PIN for offline verification (RSA)"),
        (noCVM, "No CVM required"),
        (onlineBiometric, "Online biometric"),
        (offlineBiometric, "Offline biometric"),
        (encipheredOfflinePINByECC, "Enciphered PIN for offline verification (ECC)"),
        (sda, "SDA"),
        (dda, "DDA"),
        (cardCapture, "Card capture"),
        (cda, "CDA"),
        (xda, "XDA"),
    ]
}

/// CSU: the issuer's orders to the card, in the issuer authentication data of method 2 (EMV 4.4
/// Book 3, C10, table CCD 11).
///
/// Byte 4 is defined by the issuer.
public struct CardStatusUpdate: BitField {
    public static let byteCount = 4
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let meanings: [(Self, String)] = [
        (Self(byte: 1, bit: 8), "Proprietary authentication data included"),
        (Self(byte: 2, bit: 8), "Issuer approves online transaction"),
        (Self(byte: 2, bit: 7), "Card block"),
        (Self(byte: 2, bit: 6), "Application block"),
        (Self(byte: 2, bit: 5), "Update PIN try counter"),
        (Self(byte: 2, bit: 4), "Set go online on next transaction"),
        (Self(byte: 2, bit: 3), "CSU created by a proxy for the issuer"),
    ]

    /// The new PIN try counter, if ``meanings`` say that it is updated; 0 to 15.
    public var pinTryCounter: UInt8 { bytes[0] & 0x0F }

    /// The order for the card's offline counters: bits 2 and 1 of byte 2.
    public var counters: String {
        switch bytes[1] & 0x03 {
        case 0: "Do not update offline counters"
        case 1: "Set offline counters to upper offline limits"
        case 2: "Reset offline counters to zero"
        default: "Add transaction to offline counter"
        }
    }
}

/// AUC, tag `9F07`: the places and purposes for which the issuer allows the application (EMV 4.4
/// Book 3, annex C2).
public struct ApplicationUsageControl: BitField {
    public static let byteCount = 2
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let domesticCash = Self(byte: 1, bit: 8)
    public static let internationalCash = Self(byte: 1, bit: 7)
    public static let domesticGoods = Self(byte: 1, bit: 6)
    public static let internationalGoods = Self(byte: 1, bit: 5)
    public static let domesticServices = Self(byte: 1, bit: 4)
    public static let internationalServices = Self(byte: 1, bit: 3)
    public static let atms = Self(byte: 1, bit: 2)
    public static let terminalsOtherThanATMs = Self(byte: 1, bit: 1)
    public static let domesticCashback = Self(byte: 2, bit: 8)
    public static let internationalCashback = Self(byte: 2, bit: 7)

    public static let meanings: [(Self, String)] = [
        (domesticCash, "Valid for domestic cash transactions"),
        (internationalCash, "Valid for international cash transactions"),
        (domesticGoods, "Valid for domestic goods"),
        (internationalGoods, "Valid for international goods"),
        (domesticServices, "Valid for domestic services"),
        (internationalServices, "Valid for international services"),
        (atms, "Valid at ATMs"),
        (terminalsOtherThanATMs, "Valid at terminals other than ATMs"),
        (domesticCashback, "Domestic cashback allowed"),
        (internationalCashback, "International cashback allowed"),
    ]
}

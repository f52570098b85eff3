/// Additional terminal capabilities, tag `9F40` (EMV 4.4 Book 4, annex A3).
public struct AdditionalTerminalCapabilities: BitField {
    public static let byteCount = 5
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let cash = Self(byte: 1, bit: 8)
    public static let goods = Self(byte: 1, bit: 7)
    public static let services = Self(byte: 1, bit: 6)
    public static let cashback = Self(byte: 1, bit: 5)
    public static let inquiry = Self(byte: 1, bit: 4)
    public static let transfer = Self(byte: 1, bit: 3)
    public static let payment = Self(byte: 1, bit: 2)
    public static let administrative = Self(byte: 1, bit: 1)
    public static let cashDeposit = Self(byte: 2, bit: 8)
    public static let numericKeys = Self(byte: 3, bit: 8)
    public static let alphabeticKeys = Self(byte: 3, bit: 7)
    public static let commandKeys = Self(byte: 3, bit: 6)
    public static let functionKeys = Self(byte: 3, bit: 5)
    public static let printAttendant = Self(byte: 4, bit: 8)
    public static let printCardholder = Self(byte: 4, bit: 7)
    public static let displayAttendant = Self(byte: 4, bit: 6)
    public static let displayCardholder = Self(byte: 4, bit: 5)
    public static let codeTable10 = Self(byte: 4, bit: 2)
    public static let codeTable9 = Self(byte: 4, bit: 1)
    public static let codeTable8 = Self(byte: 5, bit: 8)
    public static let codeTable7 = Self(byte: 5, bit: 7)
    public static let codeTable6 = Self(byte: 5, bit: 6)
    public static let codeTable5 = Self(byte: 5, bit: 5)
    public static let codeTable4 = Self(byte: 5, bit: 4)
    public static let codeTable3 = Self(byte: 5, bit: 3)
    public static let codeTable2 = Self(byte: 5, bit: 2)
    public static let codeTable1 = Self(byte: 5, bit: 1)

    public static let meanings: [(Self, String)] = [
        (cash, "Cash"),
        (goods, "Goods"),
        (services, "Services"),
        (cashback, "Cashback"),
        (inquiry, "Inquiry"),
        (transfer, "Transfer"),
        (payment, "Payment"),
        (administrative, "Administrative"),
        (cashDeposit, "Cash deposit"),
        (numericKeys, "Numeric keys"),
        (alphabeticKeys, "Alphabetic and special character keys"),
        (commandKeys, "Command keys"),
        (functionKeys, "Function keys"),
        (printAttendant, "Print, attendant"),
        (printCardholder, "Print, cardholder"),
        (displayAttendant, "Display, attendant"),
        (displayCardholder, "Display, cardholder"),
        (codeTable10, "Code table 10"),
        (codeTable9, "Code table 9"),
        (codeTable8, "Code table 8"),
        (codeTable7, "Code table 7"),
        (codeTable6, "Code table 6"),
        (codeTable5, "Code table 5"),
        (codeTable4, "Code table 4"),
        (codeTable3, "Code table 3"),
        (codeTable2, "Code table 2"),
        (codeTable1, "Code table 1"),
    ]

    /// Whether the terminal can show names in the part of ISO/IEC 8859 with issuer code table index
    /// `index` (1…10).
    public func supportsCodeTable(_ index: Int) -> Bool {
        switch index {
        case 1...8: contains(Self(byte: 5, bit: index))
        case 9, 10: contains(Self(byte: 4, bit: index - 8))
        default: false
        }
    }
}

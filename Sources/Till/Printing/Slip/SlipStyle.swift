/// How characters of a slip are printed.
public struct SlipStyle: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let bold = SlipStyle(rawValue: 0x01)
    /// Each character takes two columns.
    public static let doubleWidth = SlipStyle(rawValue: 0x02)
    public static let doubleHeight = SlipStyle(rawValue: 0x04)
    public static let underline = SlipStyle(rawValue: 0x08)
    /// White on black.
    public static let inverse = SlipStyle(rawValue: 0x10)

    /// How many columns a character takes.
    public var columnsPerCharacter: Int { contains(.doubleWidth) ? 2 : 1 }
}

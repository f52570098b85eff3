/// The last month in which a card is valid.
public struct ExpiryDate: Sendable, Hashable, Codable {
    /// 0 to 99; the century is not on the card.
    public let year: UInt8
    /// 1 to 12.
    public let month: UInt8

    /// `1218` is December 2018, as embossed and keyed. Nil if the text is not such a date.
    public init?(mmyy text: some StringProtocol) {
        self.init(digits: Array(text.utf8), month: 0..<2, year: 2..<4)
    }

    /// `1812` is December 2018, as on the track and in tag `5F24`. Nil if the text is not such a
    /// date.
    public init?(yymm text: some StringProtocol) {
        self.init(digits: Array(text.utf8), month: 2..<4, year: 0..<2)
    }

    private init?(digits: [UInt8], month: Range<Int>, year: Range<Int>) {
        guard digits.count == 4, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let number = { (range: Range<Int>) in digits[range].reduce(0) { $0 * 10 + ($1 - 0x30) } }
        guard (1...12).contains(number(month)) else { return nil }
        self.month = number(month)
        self.year = number(year)
    }

    /// Four digits, `1218` for December 2018: as embossed.
    public var mmyy: String { Self.twoDigits(month) + Self.twoDigits(year) }
    /// Four digits, `1812` for December 2018: as on the track and in tag `5F24`.
    public var yymm: String { Self.twoDigits(year) + Self.twoDigits(month) }

    private static func twoDigits(_ number: UInt8) -> String { (number < 10 ? "0" : "") + String(number) }
}

internal import Bytes
public import CardCapture

/// A day of the Gregorian calendar, of the years 1 to 9999.
public struct CivilDay: Sendable, Hashable, Comparable {
    /// 1970-01-01 is 0.
    public let daysSince1970: Int
    public let year: Int
    public let month: Int
    public let day: Int

    /// 0001-01-01.
    static let first = CivilDay(year: 1, month: 1, day: 1, daysSince1970: -719_162)

    private init(year: Int, month: Int, day: Int, daysSince1970: Int) {
        self.year = year
        self.month = month
        self.day = day
        self.daysSince1970 = daysSince1970
    }

    /// Nil if there is no such day.
    public init?(year: Int, month: Int, day: Int) {
        guard let time = CivilTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0) else {
            return nil
        }
        // fits: 3.7 million at most
        self.init(year: year, month: month, day: day, daysSince1970: Int(time.seconds / 86_400))
    }

    /// Nil outside the years 1 to 9999.
    public init?(daysSince1970: Int) {
        guard (-719_162...2_932_896).contains(daysSince1970) else { return nil }
        let time = CivilTime(Int64(daysSince1970) * 86_400)
        self.init(year: time.year, month: time.month, day: time.day, daysSince1970: daysSince1970)
    }

    /// The local day of a moment; nil outside the years 1 to 9999.
    public init?(of moment: Timestamp) {
        let local = moment.secondsSince1970.saturatingAdding(Int64(clamping: moment.utcOffset))
        let (days, rest) = local.quotientAndRemainder(dividingBy: 86_400)
        self.init(daysSince1970: Int(clamping: rest < 0 ? days - 1 : days))
    }

    /// `2026-03-09` or `2026/03/09`, four digits and twice two; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "/" }
        guard parts.count == 3, parts.map(\.utf8.count) == [4, 2, 2],
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    public static func < (left: CivilDay, right: CivilDay) -> Bool { left.daysSince1970 < right.daysSince1970 }
}

extension CivilDay: CustomStringConvertible {
    /// `2026/03/09`.
    public var description: String { "\(digits(year, 4))/\(digits(month, 2))/\(digits(day, 2))" }
}

/// A number with leading zeros.
func digits(_ number: Int, _ count: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
}

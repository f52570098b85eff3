public import PaymentTerminal

/// What statistics are asked for.
public struct StatisticsQuery: Sendable, Equatable {
    /// The first and the last day. Days before the first transaction are in no group.
    public var days: ClosedRange<CivilDay>
    public var grouping: Grouping
    /// Amounts of different currencies are never added.
    public var currency: Currency
    /// Only these are in the answer.
    public var results: Set<Result>
    /// Whether each group has its figures for each state instead of all states together.
    public var isNestedByState: Bool

    /// - Parameters:
    ///   - first: The first day.
    ///   - last: The last day, which is included.
    /// - Throws: ``StatisticsError/crossedDates`` if `last` is before `first`.
    public init(
        from first: CivilDay, to last: CivilDay, by grouping: Grouping, currency: Currency,
        results: Set<Result> = [.turnover], isNestedByState: Bool = false
    ) throws(StatisticsError) {
        guard first <= last else { throw .crossedDates }
        // ordered: checked above
        days = first...last
        self.grouping = grouping
        self.currency = currency
        self.results = results
        self.isNestedByState = isNestedByState
    }

    /// What a group's days have in common.
    public enum Grouping: String, Sendable, CaseIterable {
        case day, week, month, quarter, year

        /// `2026/03/09`, `2026/W11`, `2026/03`, `2026/Q1`, `2026`. A week is the one of ISO 8601,
        /// with its own year; its form is ours.
        public func key(of day: CivilDay) -> String {
            switch self {
            case .day: return day.description
            case .week:
                // A week belongs to the year of its Thursday. 1970-01-01 was one.
                let monday = ((day.daysSince1970 + 3) % 7 + 7) % 7
                guard let thursday = CivilDay(daysSince1970: day.daysSince1970 - monday + 3),
                    let newYear = CivilDay(year: thursday.year, month: 1, day: 1)
                else { return "10000/W01" }
                let week = (thursday.daysSince1970 - newYear.daysSince1970) / 7 + 1
                return "\(digits(thursday.year, 4))/W\(digits(week, 2))"
            case .month: return "\(digits(day.year, 4))/\(digits(day.month, 2))"
            case .quarter: return "\(digits(day.year, 4))/Q\((day.month + 2) / 3)"
            case .year: return digits(day.year, 4)
            }
        }
    }

    /// A figure of a group. `turnover` is the sum of the approved transactions, `sum` that of the
    /// transactions in all states.
    public enum Result: String, Sendable, CaseIterable {
        case count, average, turnover, maximumAndMinimum, sum
    }
}

/// Why there are no statistics.
public enum StatisticsError: Error, Sendable, Equatable, CustomStringConvertible {
    case crossedDates

    public var description: String { "the last day is before the first: exchange them" }
}

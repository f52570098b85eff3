public import PaymentTerminal

/// The figures of groups of days, in minor units of ``currency``.
public struct Statistics: Sendable, Equatable {
    public let currency: Currency
    /// In the order of time, without groups that have no transaction.
    public let groups: [Group]

    public struct Group: Sendable, Equatable {
        /// `2026/03/09`, `2026/03`, `2026/Q1`: ``StatisticsQuery/Grouping/key(of:)``.
        public let key: String
        /// Of all states together; nil if the query nests by state.
        public let figures: Figures?
        /// Of each state that has transactions; empty unless the query nests by state.
        public let states: [TransactionState: Figures]
    }

    /// Nil is what the query does not ask for.
    public struct Figures: Sendable, Equatable {
        public let count: Int64?
        public let average: Average?
        /// Amounts have 64 bits; sums of them have 128, so that none overflows.
        public let turnover: Int128?
        public let maximum: Int64?
        public let minimum: Int64?
        public let sum: Int128?
    }

    /// A sum and the number of its parts, at least one: the exact average.
    public struct Average: Sendable, Equatable {
        public let sum: Int128
        public let count: Int64

        /// In whole minor units; a half is rounded away from zero.
        public var rounded: Int128 {
            let (quotient, remainder) = sum.quotientAndRemainder(dividingBy: Int128(count))
            guard 2 * remainder.magnitude >= UInt128(count.magnitude) else { return quotient }
            return quotient + (sum < 0 ? -1 : 1)
        }
    }
}

extension Statistics {
    /// - Parameter totals: Of the query's days and its currency, in the order of time.
    public init(_ query: StatisticsQuery, _ totals: some Sequence<DailyTotals>) {
        var groups: [Group] = []
        var key: String?
        var states: [TransactionState: DailyTotals] = [:]
        func close() {
            guard let key, !states.isEmpty else { return }
            groups.append(Group(key, states, query))
            states = [:]
        }
        for total in totals where total.count > 0 {
            let next = query.grouping.key(of: total.day)
            if next != key {
                close()
                key = next
            }
            states[total.state] = states[total.state].map { $0 + total } ?? total
        }
        close()
        currency = query.currency
        self.groups = groups
    }
}

extension Statistics.Group {
    fileprivate init(_ key: String, _ states: [TransactionState: DailyTotals], _ query: StatisticsQuery) {
        self.key = key
        if query.isNestedByState {
            figures = nil
            self.states = states.mapValues { Statistics.Figures($0, turnover: $0.turnover, query.results) }
        } else {
            let turnover = states.values.reduce(Int128(0)) { $0 + $1.turnover }
            let all = states.values.dropFirst().reduce(states.values.first) { sum, next in sum.map { $0 + next } }
            figures = all.map { Statistics.Figures($0, turnover: turnover, query.results) }
            self.states = [:]
        }
    }
}

extension Statistics.Figures {
    fileprivate init(_ totals: DailyTotals, turnover: Int128, _ results: Set<StatisticsQuery.Result>) {
        count = results.contains(.count) ? totals.count : nil
        average = results.contains(.average) ? .init(sum: totals.sum, count: totals.count) : nil
        self.turnover = results.contains(.turnover) ? turnover : nil
        maximum = results.contains(.maximumAndMinimum) ? totals.maximum : nil
        minimum = results.contains(.maximumAndMinimum) ? totals.minimum : nil
        sum = results.contains(.sum) ? totals.sum : nil
    }
}

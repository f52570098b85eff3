internal import Bytes
internal import PaymentTerminal

/// What a store keeps for each day, currency and state, in minor units: what statistics add up.
public struct DailyTotals: Sendable, Equatable {
    public let day: CivilDay
    public let state: TransactionState
    public let count: Int64
    public let sum: Int128
    public let minimum: Int64
    public let maximum: Int64

    public init(
        day: CivilDay, state: TransactionState, count: Int64, sum: Int128, minimum: Int64, maximum: Int64
    ) {
        self.day = day
        self.state = state
        self.count = count
        self.sum = sum
        self.minimum = minimum
        self.maximum = maximum
    }

    /// Of one transaction.
    public init(_ row: TransactionRow) {
        let amount = row.amount.minorUnits
        self.init(
            day: row.day, state: row.state, count: 1, sum: Int128(amount), minimum: amount, maximum: amount)
    }

    /// The same transactions in another state.
    public func moved(to state: TransactionState) -> DailyTotals {
        DailyTotals(day: day, state: state, count: count, sum: sum, minimum: minimum, maximum: maximum)
    }

    /// What of the sum belongs to the turnover.
    var turnover: Int128 { state.isTurnover ? sum : 0 }

    /// Of both, with the day and state of the first.
    static func + (left: DailyTotals, right: DailyTotals) -> DailyTotals {
        DailyTotals(
            day: left.day, state: left.state, count: left.count.saturatingAdding(right.count),
            // An exact sum of 2⁶³ amounts fits; what a damaged file says may not.
            sum: left.sum.addingReportingOverflow(right.sum).partialValue,
            minimum: min(left.minimum, right.minimum), maximum: max(left.maximum, right.maximum))
    }
}

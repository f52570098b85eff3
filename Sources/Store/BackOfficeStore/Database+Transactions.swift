import BackOffice
import CardCapture
import FoundationEssentials
import GRDB
import PaymentTerminal
import SealedStore

extension NumberedRow {
    /// - Parameter row: Of the table `listed`.
    init(_ row: Row) throws {
        guard let kind = TransactionKind(rawValue: row["kind"]), let state = TransactionState(rawValue: row["state"]),
            let number = UInt16(exactly: row["currency"] as Int64), let currency = Currency(number: number)
        else { throw StoreError.damaged }
        do {
            self.init(
                sequence: row["sequence"],
                row: try TransactionRow(
                    id: row["id"], kind: kind, amount: Money(minorUnits: row["amount"], currency: currency),
                    createdAt: Timestamp(secondsSince1970: row["created_at"], utcOffset: row["utc_offset"]),
                    state: state, customer: row["customer"], maskedCardNumber: row["card_number"],
                    cardBrand: row["card_brand"]))
        } catch {
            throw StoreError.damaged
        }
    }
}

extension Database {
    func insert(_ row: TransactionRow, receipt: Data?) throws {
        try cachedStatement(
            sql: """
                INSERT INTO listed (id, kind, state, currency, amount, whole_units, created_at, utc_offset, day, customer, customer_key,
                    card_number, card_brand, receipt) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            row.id, row.kind.rawValue, row.state.rawValue, row.amount.currency.number, row.amount.minorUnits,
            row.wholeUnits, row.createdAt.secondsSince1970, row.createdAt.utcOffset, row.day.daysSince1970,
            row.customer, row.customerKey, row.maskedCardNumber, row.cardBrand, receipt,
        ])
    }

    /// Adds a transaction to the totals of its day.
    func count(_ totals: DailyTotals, currency: UInt16) throws {
        let parts = SumParts(totals.sum)
        try cachedStatement(
            sql: """
                INSERT INTO daily (currency, day, state, count, high, low, minimum, maximum) VALUES (?, ?, ?, 1, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET count = count + 1, high = high + excluded.high, low = low + excluded.low,
                    minimum = min(minimum, excluded.minimum), maximum = max(maximum, excluded.maximum)
                """
        ).execute(arguments: [
            currency, totals.day.daysSince1970, totals.state.rawValue, parts.high, parts.low, totals.minimum,
            totals.maximum,
        ])
    }

    /// Takes a transaction, which `listed` has no longer in this state, from the totals of its day.
    func discount(_ totals: DailyTotals, currency: UInt16) throws {
        let parts = SumParts(totals.sum)
        let key: StatementArguments = [currency, totals.day.daysSince1970, totals.state.rawValue]
        try execute(
            sql: "DELETE FROM daily WHERE currency = ? AND day = ? AND state = ? AND count = 1", arguments: key)
        guard changesCount == 0 else { return }
        let extreme = { (name: String) in
            "(SELECT \(name)(amount) FROM listed WHERE currency = daily.currency AND day = daily.day AND state = daily.state)"
        }
        try cachedStatement(
            sql: """
                UPDATE daily SET count = count - 1, high = high - ?, low = low - ?,
                    minimum = \(extreme("min")), maximum = \(extreme("max"))
                WHERE currency = ? AND day = ? AND state = ?
                """
        ).execute(arguments: [parts.high, parts.low] + key)
    }

    func statistics(_ query: StatisticsQuery) throws -> Statistics {
        let rows = try Row.fetchAll(
            cachedStatement(
                sql: "SELECT * FROM daily WHERE currency = ? AND day BETWEEN ? AND ? ORDER BY day"),
            arguments: [
                query.currency.number, query.days.lowerBound.daysSince1970, query.days.upperBound.daysSince1970,
            ])
        return Statistics(query, try rows.map { try DailyTotals($0) })
    }
}

extension DailyTotals {
    fileprivate init(_ row: Row) throws {
        guard let day = CivilDay(daysSince1970: row["day"]), let state = TransactionState(rawValue: row["state"]) else {
            throw StoreError.damaged
        }
        self.init(
            day: day, state: state, count: row["count"], sum: SumParts(high: row["high"], low: row["low"]).sum,
            minimum: row["minimum"], maximum: row["maximum"])
    }
}

/// A sum in two integers of SQLite.
struct SumParts {
    let high: Int64
    let low: Int64

    init(high: Int64, low: Int64) {
        self.high = high
        self.low = low
    }

    /// - Parameter amount: Of one transaction: 64 bits.
    init(_ amount: Int128) {
        high = Int64(clamping: amount >> 32)
        low = Int64(clamping: amount & 0xFFFF_FFFF)
    }

    /// Fits always: 2^95 at most.
    var sum: Int128 { (Int128(high) << 32) + Int128(low) }
}

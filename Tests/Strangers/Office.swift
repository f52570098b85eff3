import BackOffice

/// A store that keeps what statistics add up, and no order of its own.
actor StrangersTransactions: TransactionStore {
    private var rows: [NumberedRow] = []
    private var receipts: [String: ReceiptData] = [:]

    func add(_ row: TransactionRow, receipt: ReceiptData?) async throws {
        guard receipt?.isWithinLimits ?? true else { throw TransactionStoreError.receiptTooLarge }
        if let known = rows.first(where: { $0.row.id == row.id }) {
            guard known.row.isSame(as: row) else { throw TransactionStoreError.exists }
            return
        }
        rows.append(NumberedRow(sequence: Int64(rows.count) + 1, row: row))
        receipts[row.id] = receipt
    }

    func change(_ id: String, to state: TransactionState) async throws {
        guard let place = rows.firstIndex(where: { $0.row.id == id }) else { throw TransactionStoreError.notFound }
        let row = rows[place].row
        rows[place].row = try TransactionRow(
            id: row.id, kind: row.kind, amount: row.amount, createdAt: row.createdAt, state: state,
            customer: row.customer, maskedCardNumber: row.maskedCardNumber, cardBrand: row.cardBrand)
    }

    func transaction(_ id: String) async throws -> TransactionRow? { rows.first { $0.row.id == id }?.row }

    func receipt(of id: String) async throws -> ReceiptData? { receipts[id] }

    func search(_ query: SearchQuery) async throws -> SearchPage {
        var start: Int64 = 0
        if case .after(let cursor) = query.place { start = cursor.sequence }
        let found = rows.filter { $0.sequence > start && query.states.contains($0.row.state) }
        return SearchPage(query, Array(found.prefix(query.pageSize + 1)), asOf: Int64(rows.count))
    }

    func statistics(_ query: StatisticsQuery) async throws -> Statistics {
        let counted = rows.map { $0.row }.filter { query.days.contains($0.day) && $0.amount.currency == query.currency }
        return Statistics(query, counted.map { DailyTotals($0) }.sorted { $0.day < $1.day })
    }
}

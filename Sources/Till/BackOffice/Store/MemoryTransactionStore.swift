internal import PaymentTerminal

/// Keeps transactions until the process ends. Every search and every question for statistics reads
/// all of them.
public actor MemoryTransactionStore: TransactionStore {
    private var rows: [NumberedRow] = []
    private var places: [String: Int] = [:]
    private var receipts: [String: ReceiptData] = [:]

    public init() {}

    public func add(_ row: TransactionRow, receipt: ReceiptData?) throws {
        if let known = places[row.id] {
            guard rows[known].row.isSame(as: row) else { throw TransactionStoreError.exists }
            return
        }
        guard receipt?.isWithinLimits ?? true else { throw TransactionStoreError.receiptTooLarge }
        places[row.id] = rows.count
        rows.append(NumberedRow(sequence: Int64(rows.count) + 1, row: row))
        receipts[row.id] = receipt
    }

    public func change(_ id: String, to state: TransactionState) throws {
        guard let place = places[id] else { throw TransactionStoreError.notFound }
        rows[place].row.state = state
    }

    public func transaction(_ id: String) -> TransactionRow? { places[id].map { rows[$0].row } }

    public func receipt(of id: String) -> ReceiptData? { receipts[id] }

    public func search(_ query: SearchQuery) -> SearchPage {
        let latest = Int64(rows.count)
        let asOf: Int64
        var offset = 0
        var start: SearchCursor?
        switch query.place {
        case .page(let number, let earlier):
            asOf = min(earlier ?? latest, latest)
            offset = query.offset(ofPage: number)
        case .after(let cursor):
            asOf = min(cursor.asOf, latest)
            start = cursor
        }
        let found = rows.prefix(max(0, Int(clamping: asOf))).filter { query.selects($0.row) }
            .map { Ordered(key: SearchKey(of: $0.row, in: query.order), numbered: $0) }
            .filter { row in
                start.map { query.comes($0.key, $0.sequence, before: (row.key, row.numbered.sequence)) } ?? true
            }
            .sorted { query.comes($0.key, $0.numbered.sequence, before: ($1.key, $1.numbered.sequence)) }
        return SearchPage(query, found.dropFirst(offset).prefix(query.pageSize + 1).map(\.numbered), asOf: asOf)
    }

    public func statistics(_ query: StatisticsQuery) -> Statistics {
        let counted = rows.map(\.row).filter {
            $0.amount.currency == query.currency && query.days.contains($0.day)
        }
        return Statistics(query, counted.map { DailyTotals($0) }.sorted { $0.day < $1.day })
    }

    private struct Ordered {
        let key: SearchKey
        let numbered: NumberedRow
    }
}

extension SearchQuery {
    fileprivate func selects(_ row: TransactionRow) -> Bool {
        (states.isEmpty || states.contains(row.state)) && (phrase?.matches(row) ?? true)
    }

    fileprivate func comes(_ key: SearchKey, _ sequence: Int64, before other: (key: SearchKey, sequence: Int64)) -> Bool
    {
        guard key != other.key else {
            return isDescending ? sequence > other.sequence : sequence < other.sequence
        }
        return isDescending ? other.key.precedes(key) : key.precedes(other.key)
    }

    /// How many rows come before a page.
    public func offset(ofPage number: Int) -> Int {
        let (offset, isBeyond) = (number - 1).multipliedReportingOverflow(by: pageSize)
        return isBeyond ? .max : offset
    }
}

internal import CardCapture
internal import PaymentTerminal

/// A part of the result of a search.
public struct SearchPage: Sendable, Equatable {
    public let rows: [TransactionRow]
    /// The number of the latest row that the search could find: for the next pages by number.
    public let asOf: Int64
    /// Nil if this page is the last one.
    public let next: SearchCursor?

    /// - Parameter found: Up to one more than a page, which tells whether there is a next one.
    public init(_ query: SearchQuery, _ found: [NumberedRow], asOf: Int64) {
        let page = found.prefix(query.pageSize)
        rows = page.map(\.row)
        self.asOf = asOf
        next =
            found.count > page.count
            ? page.last.map { last in
                SearchCursor(
                    order: query.order, isDescending: query.isDescending, key: SearchKey(of: last.row, in: query.order),
                    sequence: last.sequence, asOf: asOf)
            } : nil
    }
}

/// A row, and its number in the order in which rows were added.
public struct NumberedRow: Sendable, Equatable {
    /// From 1 on.
    public let sequence: Int64
    public var row: TransactionRow

    public init(sequence: Int64, row: TransactionRow) {
        self.sequence = sequence
        self.row = row
    }
}

/// What a row is ordered by.
public enum SearchKey: Sendable, Equatable, Codable {
    case number(Int64)
    case text(String)

    public init(of row: TransactionRow, in order: SearchQuery.Order) {
        self =
            switch order {
            case .createdAt: .number(row.createdAt.secondsSince1970)
            case .amount: .number(row.amount.minorUnits)
            case .name: .text(row.customerKey)
            }
    }

    func precedes(_ other: SearchKey) -> Bool {
        switch (self, other) {
        case (.number(let left), .number(let right)): left < right
        case (.text(let left), .text(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.number, .text): true
        case (.text, .number): false
        }
    }
}

/// Why a search is invalid.
public enum SearchError: Error, Sendable, Equatable, CustomStringConvertible {
    case page
    case pageSize
    case cursor

    public var description: String {
        switch self {
        case .page: "the page is invalid: the first one is 1"
        case .pageSize:
            "the page size is invalid: give 1 to \(SearchQuery.pageSizes.upperBound)"
        case .cursor: "the cursor is of a search in another order: begin with its first page"
        }
    }
}

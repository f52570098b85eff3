/// Which transactions are asked for, in which order, and which part of them.
public struct SearchQuery: Sendable, Equatable {
    /// Nil is every transaction.
    public var phrase: SearchPhrase?
    /// Empty is every state.
    public var states: Set<TransactionState>
    public let order: Order
    public let isDescending: Bool
    public let place: Place
    public let pageSize: Int

    public static let pageSizes = 1...200

    /// - Throws: ``SearchError`` for a page below 1, a size outside ``pageSizes``, or
    ///   a cursor of another order.
    public init(
        _ phrase: SearchPhrase? = nil, states: Set<TransactionState> = [], order: Order = .createdAt,
        isDescending: Bool = true, at place: Place = .page(1), pageSize: Int = 20
    ) throws(SearchError) {
        guard Self.pageSizes.contains(pageSize) else { throw .pageSize }
        if case .page(let number, _) = place, number < 1 { throw .page }
        if case .after(let cursor) = place, cursor.order != order || cursor.isDescending != isDescending {
            throw .cursor
        }
        self.phrase = phrase
        self.states = states
        self.order = order
        self.isDescending = isDescending
        self.place = place
        self.pageSize = pageSize
    }

    /// What rows are ordered by; equal ones by when they were added, in the same direction.
    public enum Order: String, Sendable, Codable, CaseIterable {
        case createdAt
        /// In minor units, without regard to the currency.
        case amount
        /// The customer's name in lower case, by its UTF-8.
        case name
    }

    /// Which part of the result.
    public enum Place: Sendable, Equatable {
        /// From 1 on. With ``SearchPage/asOf`` of the first page, rows that were added since then
        /// move nothing. A row whose state has changed since then may move others, if the query has
        /// states: ``after(_:)`` knows no such exception.
        case page(Int, asOf: Int64? = nil)
        /// What follows the page that the cursor came with: no row is skipped or repeated.
        case after(SearchCursor)
    }
}

/// Where a page ended.
public struct SearchCursor: Sendable, Equatable, Codable {
    let order: SearchQuery.Order
    let isDescending: Bool
    /// Of the last row of the page.
    public let key: SearchKey
    /// Of the last row of the page: the next one begins after both.
    public let sequence: Int64
    /// As of the page.
    public let asOf: Int64
}

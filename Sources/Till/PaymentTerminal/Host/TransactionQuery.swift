/// A query for transactions.
public struct TransactionQuery: Sendable, Equatable {
    /// The order of the list.
    public enum Order: String, Sendable, CaseIterable {
        /// By the time of the transaction.
        case time
        /// By the requested amount.
        case amount
    }

    /// The transaction with this order id; nil for all.
    public var orderID: OrderID?
    /// The transaction with this reference of the host; nil for all.
    public var uniqueReference: String?
    /// Empty for all.
    public var states: Set<TransactionRecord.State>
    /// Empty for all.
    public var kinds: Set<TransactionRecord.Kind>
    /// In seconds since 1970, by the clock that dates the host's transactions: the terminal's, if
    /// the interface sends its time. An upper bound of `Int64.max` is none.
    public var period: Range<Int64>?
    /// A part of the order id, the host's reference, the last digits of the card number, or the
    /// amount in minor units.
    public var phrase: String?
    /// By time unless set otherwise.
    public var order: Order
    /// Oldest or smallest first; false, the default, is the reverse.
    public var isAscending: Bool
    /// From 0; without effect on a query that is continued.
    public var page: Int
    /// The continuation that the page before named (``Page/next``); nil for a new query.
    public var continuation: String?
    /// 1 to 100.
    public var pageSize: Int

    /// The last ten, newest first.
    public init(
        orderID: OrderID? = nil, uniqueReference: String? = nil, states: Set<TransactionRecord.State> = [],
        kinds: Set<TransactionRecord.Kind> = [], period: Range<Int64>? = nil, phrase: String? = nil,
        order: Order = .time,
        isAscending: Bool = false, page: Int = 0, pageSize: Int = 10
    ) {
        self.orderID = orderID
        self.uniqueReference = uniqueReference
        self.states = states
        self.kinds = kinds
        self.period = period
        self.phrase = phrase
        self.order = order
        self.isAscending = isAscending
        self.page = page
        self.pageSize = pageSize
    }
}

extension TransactionQuery {
    /// A page of a host's list of transactions: a collection of its records.
    public struct Page: Sendable, Equatable {
        /// The records that can be read, in the order of the query.
        public var records: [TransactionRecord]
        /// The transactions whose record cannot be read, by their order id; nil where that cannot
        /// be read either. The page has them, so that one such record does not hide all others.
        public var unreadable: [OrderID?]
        /// How the query is continued (``TransactionQuery/continuation``); nil for the last page.
        public var next: String?

        /// A page; by default the last one, without records that cannot be read.
        public init(_ records: [TransactionRecord], unreadable: [OrderID?] = [], next: String? = nil) {
            self.records = records
            self.unreadable = unreadable
            self.next = next
        }
    }
}

extension TransactionQuery.Page: RandomAccessCollection {
    public var startIndex: Int { records.startIndex }
    public var endIndex: Int { records.endIndex }
    public subscript(position: Int) -> TransactionRecord { records[position] }
}

extension TransactionQuery.Page: ExpressibleByArrayLiteral {
    /// The last page of a list.
    public init(arrayLiteral elements: TransactionRecord...) { self.init(elements) }
}

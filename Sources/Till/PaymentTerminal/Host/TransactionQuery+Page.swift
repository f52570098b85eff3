extension TransactionQuery {
    /// A page of a host's list of transactions: a collection of its records.
    public struct Page: Sendable, Equatable {
        /// The records that can be read, in the order of the query.
        public var records: [TransactionRecord]
        /// The transactions whose record cannot be read, by their order id; nil where that cannot be
        /// read either. The page has them, so that one such record does not hide all others.
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

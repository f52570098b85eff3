/// Which transactions are wanted.
public struct TransactionQuery: Sendable, Equatable {
    public enum Order: String, Sendable, CaseIterable {
        case time
        case amount
    }

    public var orderID: OrderID?
    public var uniqueReference: String?
    /// None for all.
    public var states: Set<TransactionRecord.State>
    public var kinds: Set<TransactionRecord.Kind>
    /// In seconds since 1970, by the terminal's clock.
    public var period: Range<Int64>?
    /// A part of the order id, the host's reference, the last digits of the card number, or the amount in minor units.
    public var phrase: String?
    public var order: Order
    public var isAscending: Bool
    /// From 0.
    public var page: Int
    /// 1 to 100.
    public var pageSize: Int

    /// The last ten, newest first.
    public init(
        orderID: OrderID? = nil, uniqueReference: String? = nil, states: Set<TransactionRecord.State> = [],
        kinds: Set<TransactionRecord.Kind> = [], period: Range<Int64>? = nil, phrase: String? = nil, order: Order = .time,
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

/// Money to be taken that a pre-authorisation set aside, or a tip to be added to a sale.
public struct FundsCapture: Sendable {
    /// Its own order, not that of the original.
    public var orderID: OrderID
    public var idempotencyKey: IdempotencyKey?
    /// What the host calls the original transaction.
    public var original: String
    /// All that is to be taken; less than was set aside, or with a tip as much more as the host allows.
    public var amount: Money
    public var operatorName: String?

    public init(orderID: OrderID, idempotencyKey: IdempotencyKey? = nil, original: String, amount: Money, operatorName: String? = nil) {
        self.orderID = orderID
        self.idempotencyKey = idempotencyKey
        self.original = original
        self.amount = amount
        self.operatorName = operatorName
    }
}

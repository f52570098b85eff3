/// Money to be taken that a pre-authorisation set aside, or a tip to be added to a sale.
public struct FundsCapture: Sendable {
    /// Its own order, not that of the original.
    public var orderID: OrderID
    /// Set it to be able to ask again for the outcome; see ``IdempotencyKey``.
    public var idempotencyKey: IdempotencyKey?
    /// What the host calls the original transaction.
    public var original: String
    /// All that is to be taken; less than was set aside, or with a tip as much more as the host allows.
    public var amount: Money
    /// Who did it, for the merchant's own records.
    public var operatorName: String?

    /// A capture of all or a part of `original`, which is the host's unique reference.
    public init(orderID: OrderID, idempotencyKey: IdempotencyKey? = nil, original: String, amount: Money, operatorName: String? = nil) {
        self.orderID = orderID
        self.idempotencyKey = idempotencyKey
        self.original = original
        self.amount = amount
        self.operatorName = operatorName
    }
}

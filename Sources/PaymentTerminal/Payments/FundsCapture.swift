/// A capture of a pre-authorisation, or of a tip for a sale.
public struct FundsCapture: Sendable {
    /// Its own order id, not that of the original.
    public var orderID: OrderID
    /// Set it to be able to repeat the request; see ``IdempotencyKey``.
    public var idempotencyKey: IdempotencyKey?
    /// The host's reference of the original transaction.
    public var original: String
    /// The total amount to capture: also less than the reserved amount, or, with a tip, more as far
    /// as the host allows.
    public var amount: Money
    /// The name of the operator, for the merchant's records.
    public var operatorName: String?

    /// A complete or partial capture of `original`, the host's unique reference.
    public init(orderID: OrderID, idempotencyKey: IdempotencyKey? = nil, original: String, amount: Money, operatorName: String? = nil) {
        self.orderID = orderID
        self.idempotencyKey = idempotencyKey
        self.original = original
        self.amount = amount
        self.operatorName = operatorName
    }
}

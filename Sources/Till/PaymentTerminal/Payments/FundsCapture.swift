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
    public init(
        orderID: OrderID, idempotencyKey: IdempotencyKey? = nil, original: String, amount: Money,
        operatorName: String? = nil
    ) {
        self.orderID = orderID
        self.idempotencyKey = idempotencyKey
        self.original = original
        self.amount = amount
        self.operatorName = operatorName
    }

    /// From texts: an order id of 1 to 24 characters, and an amount written as `12.34 EUR`.
    ///
    /// - Throws: ``HostError/Refusal/invalidRequest`` for the order id,
    ///   ``TerminalError/Code/invalidAmount`` for the amount; an invalid literal, too.
    public init(
        orderID: String, idempotencyKey: IdempotencyKey? = nil, original: String, amount: String,
        operatorName: String? = nil
    ) throws(TerminalError) {
        self.init(
            orderID: try OrderID(requested: orderID), idempotencyKey: idempotencyKey, original: original,
            amount: try Money(requested: amount), operatorName: operatorName)
    }
}

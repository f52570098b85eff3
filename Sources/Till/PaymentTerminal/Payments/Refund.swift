/// A refund.
public struct Refund: Sendable {
    /// The target of the refund.
    public enum Target: Sendable {
        /// A sale, by the host's reference: refunds to its card, at most the remaining amount.
        case transaction(String)
        /// To a card, without reference to a sale, if the host allows that.
        case card(Sale.Source)
    }

    /// Its own order id, not that of the sale.
    public var orderID: OrderID
    /// Set it to be able to repeat the request; see ``IdempotencyKey``.
    public var idempotencyKey: IdempotencyKey?
    /// Above zero.
    public var amount: Money
    /// An earlier transaction, or a card.
    public var target: Target
    /// The name of the operator, for the merchant's records.
    public var operatorName: String?
    /// The reason, for the merchant's records and the host.
    public var reason: String?

    /// A refund of `amount` to `target`; by default without operator, reason and idempotency key.
    public init(
        orderID: OrderID, idempotencyKey: IdempotencyKey? = nil, amount: Money, target: Target,
        operatorName: String? = nil,
        reason: String? = nil
    ) {
        self.orderID = orderID
        self.idempotencyKey = idempotencyKey
        self.amount = amount
        self.target = target
        self.operatorName = operatorName
        self.reason = reason
    }

    /// From texts: an order id of 1 to 24 characters, and an amount written as `12.34 EUR`.
    ///
    /// - Throws: ``HostError/Refusal/invalidRequest`` for the order id,
    ///   ``TerminalError/Code/invalidAmount`` for the amount; an invalid literal, too.
    public init(
        orderID: String, idempotencyKey: IdempotencyKey? = nil, amount: String, target: Target,
        operatorName: String? = nil,
        reason: String? = nil
    ) throws(TerminalError) {
        self.init(
            orderID: try OrderID(requested: orderID), idempotencyKey: idempotencyKey,
            amount: try Money(requested: amount), target: target,
            operatorName: operatorName, reason: reason)
    }
}

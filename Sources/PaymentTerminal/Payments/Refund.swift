/// Money to be given back.
public struct Refund: Sendable {
    /// Where the money goes.
    public enum Target: Sendable {
        /// For a sale, by what the host calls it: to its card, for no more than is left of it.
        case transaction(String)
        /// To a card, without reference to a sale, if the host allows that.
        case card(Sale.Source)
    }

    /// Its own order, not that of the sale.
    public var orderID: OrderID
    /// Set it to be able to ask again for the outcome; see ``IdempotencyKey``.
    public var idempotencyKey: IdempotencyKey?
    /// Above zero.
    public var amount: Money
    /// An earlier transaction, or a card.
    public var target: Target
    /// Who did it, for the merchant's own records.
    public var operatorName: String?
    /// Why, for the merchant's own records and the host.
    public var reason: String?

    /// A refund of `amount` to `target`; by default without operator, reason and idempotency key.
    public init(
        orderID: OrderID, idempotencyKey: IdempotencyKey? = nil, amount: Money, target: Target, operatorName: String? = nil,
        reason: String? = nil
    ) {
        self.orderID = orderID
        self.idempotencyKey = idempotencyKey
        self.amount = amount
        self.target = target
        self.operatorName = operatorName
        self.reason = reason
    }
}

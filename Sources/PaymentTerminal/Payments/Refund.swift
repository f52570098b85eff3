/// Money to be given back.
public struct Refund: Sendable {
    public enum Target: Sendable {
        /// For a sale, by what the host calls it: to its card, for no more than is left of it.
        case transaction(String)
        /// To a card, without reference to a sale, if the host allows that.
        case card(Sale.Source)
    }

    public var orderID: OrderID
    public var idempotencyKey: IdempotencyKey?
    /// Above zero.
    public var amount: Money
    public var target: Target
    public var operatorName: String?
    public var reason: String?

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

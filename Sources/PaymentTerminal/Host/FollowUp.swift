public import CardCapture

/// A request about a transaction that the host has decided before.
public struct FollowUp: Sendable, Equatable, Codable {
    public enum Kind: String, Sendable, Codable {
        /// Money back for a sale, all of it or a part.
        case refund
        /// Takes what a pre-authorisation set aside; with a tip, or less.
        case capture
    }

    /// Its own order, not that of the original.
    public let orderID: OrderID
    public let kind: Kind
    /// What the host calls the original transaction.
    public let original: String
    public let amount: Money
    public let timestamp: Timestamp
    public let terminalID: String
    /// Who did it, and why: for the merchant's own records.
    public let operatorName: String?
    public let reason: String?

    public init(
        orderID: OrderID, kind: Kind, original: String, amount: Money, timestamp: Timestamp, terminalID: String,
        operatorName: String? = nil,
        reason: String? = nil
    ) {
        self.orderID = orderID
        self.kind = kind
        self.original = original
        self.amount = amount
        self.timestamp = timestamp
        self.terminalID = terminalID
        self.operatorName = operatorName
        self.reason = reason
    }
}

public import CardCapture

/// A refund or a capture of a transaction that the host decided before: ``PaymentHost/refund(_:)``, ``PaymentHost/capture(_:)``.
public struct ReferencedRequest: Sendable, Equatable, Codable {
    /// Its own order, not that of the original.
    public let orderID: OrderID
    /// What the host calls the original transaction.
    public let original: String
    public let amount: Money
    public let timestamp: Timestamp
    public let terminalID: String
    /// Who did it, and why: for the merchant's own records.
    public let operatorName: String?
    public let reason: String?

    public init(
        orderID: OrderID, original: String, amount: Money, timestamp: Timestamp, terminalID: String, operatorName: String? = nil,
        reason: String? = nil
    ) {
        self.orderID = orderID
        self.original = original
        self.amount = amount
        self.timestamp = timestamp
        self.terminalID = terminalID
        self.operatorName = operatorName
        self.reason = reason
    }
}

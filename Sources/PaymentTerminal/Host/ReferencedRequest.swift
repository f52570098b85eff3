public import CardCapture

/// A refund or a capture of a transaction that the host decided before: ``PaymentHost/refund(_:)``, ``PaymentHost/capture(_:)``.
public struct ReferencedRequest: Sendable, Equatable, Codable {
    /// Its own order, not that of the original.
    public let orderID: OrderID
    /// What the host calls the original transaction.
    public let original: String
    /// What is to be refunded or captured, above zero.
    public let amount: Money
    /// When the request began, by the terminal's clock.
    public let timestamp: Timestamp
    /// ISO 8583 field 41, 8 characters.
    public let terminalID: String
    /// Who did it, and why: for the merchant's own records.
    public let operatorName: String?
    /// Why; nil if nobody said so.
    public let reason: String?

    /// A request of the terminal for its host.
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

public import CardCapture

/// A refund or a capture of an earlier transaction of the host: ``PaymentHost/refund(_:)``,
/// ``PaymentHost/capture(_:)``.
public struct ReferencedRequest: Sendable, Equatable, Codable {
    /// Its own order id, not that of the original.
    public let orderID: OrderID
    /// The host's reference of the original transaction.
    public let original: String
    /// The amount to refund or capture, above zero.
    public let amount: Money
    /// When the request began, by the terminal's clock.
    public let timestamp: Timestamp
    /// ISO 8583 field 41, 8 characters.
    public let terminalID: String
    /// The name of the operator, for the merchant's records.
    public let operatorName: String?
    /// The reason; nil if none was given.
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

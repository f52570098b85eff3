public import CardReaders

/// What is printed about a sale.
public struct Receipt: Sendable, Equatable, Codable {
    public let merchantName: String
    public let terminalID: String
    public let timestamp: Timestamp
    public let orderID: OrderID
    public let operation: TerminalOperation
    /// Everything that was charged, the tip included.
    public let amount: Money
    public let tip: Money?
    public internal(set) var outcome: PaymentResponse.Outcome
    public let card: CardSummary?
    public let entryMode: CapturedCard.EntryMode?
    public let approvalCode: String?
    /// Nil if no chip took part.
    public let chip: ChipLines?
    /// The cardholder signs the merchant's copy.
    public let signatureWanted: Bool
}

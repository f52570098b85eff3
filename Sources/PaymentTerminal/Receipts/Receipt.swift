public import CardReaders

/// What is printed about a sale.
public struct Receipt: Sendable {
    public let merchantName: String
    public let terminalID: String
    public let timestamp: Timestamp
    public let orderID: OrderID
    public let amount: Money
    public let outcome: SaleResponse.Outcome
    public let card: CardSummary?
    public let entryMode: CapturedCard.EntryMode?
    public let approvalCode: String?
    /// Nil if no chip took part.
    public let chip: ChipLines?
    /// The cardholder signs the merchant's copy.
    public let signatureWanted: Bool
}

public import CardCapture

/// What is printed about a payment: the same facts for both copies, with nothing of the card that may not be on paper.
public struct Receipt: Sendable, Equatable, Codable {
    public let merchantName: String
    public let terminalID: String
    public let timestamp: Timestamp
    public let orderID: OrderID
    public let operation: TerminalOperation
    /// What was charged, tip, service charge and taxes included; what was asked for where nothing was.
    public let amount: Money
    /// What was asked for, of which the issuer may have approved a part.
    public let requested: Money
    /// Within ``requested``, as are service charge and taxes.
    public let tip: Money?
    public let serviceCharge: Money?
    public let taxes: [TaxLine]
    public internal(set) var outcome: PaymentResponse.Outcome
    public let card: CardSummary?
    public let entryMode: CapturedCard.EntryMode?
    public let approvalCode: String?
    /// Nil if no chip took part.
    public internal(set) var chip: ChipLines?
    /// The cardholder signs, on the merchant's copy unless ``signature`` is there.
    public internal(set) var requiresSignature: Bool
    /// As a screen or a pad took it.
    public internal(set) var signature: Signature?

    public enum Copy: Sendable, CaseIterable { case merchant, cardholder }

    /// The keys of the journal's entries of version 1, which stay.
    private enum CodingKeys: String, CodingKey {
        case merchantName, terminalID, timestamp, orderID, operation, amount, requested, tip, serviceCharge, taxes, outcome, card,
            entryMode, approvalCode, chip, signature
        case requiresSignature = "signatureWanted"
    }
}

public import CardCapture

/// What is printed about a payment: the same facts for both copies, with nothing of the card that may not be on paper.
public struct Receipt: Sendable, Equatable, Codable {
    /// ``Terminal/Configuration/merchantName`` at the time of the payment.
    public let merchantName: String
    /// ISO 8583 field 41.
    public let terminalID: String
    /// When the payment began, by the terminal's clock.
    public let timestamp: Timestamp
    /// The order of the payment, for a reversal or a question to the host.
    public let orderID: OrderID
    /// What the heading says: sale, refund and so on.
    public let operation: TerminalOperation
    /// What was charged, tip, service charge and taxes included; what was asked for where nothing was.
    public let amount: Money
    /// What was asked for, of which the issuer may have approved a part.
    public let requested: Money
    /// Within ``requested``, as are service charge and taxes.
    public let tip: Money?
    /// Within ``requested``; nil for none.
    public let serviceCharge: Money?
    /// Within ``requested``; empty if the merchant lists none.
    public let taxes: [TaxLine]
    /// It changes with the response's, so that a later copy shows the outcome as it is then.
    public internal(set) var outcome: PaymentResponse.Outcome
    /// What may be shown of the card; the lines show its last four digits only.
    public let card: CardSummary?
    /// Nil for a token, a referenced refund and a capture.
    public let entryMode: CapturedCard.EntryMode?
    /// Tag `89`, six characters; nil unless approved.
    public let approvalCode: String?
    /// Nil if no chip took part.
    public internal(set) var chip: ChipLines?
    /// The cardholder signs, on the merchant's copy unless ``signature`` is there.
    public internal(set) var requiresSignature: Bool
    /// As a screen or a pad took it.
    public internal(set) var signature: Signature?

    /// Who gets the paper.
    public enum Copy: Sendable, CaseIterable {
        /// Kept by the merchant; the cardholder signs on it.
        case merchant
        /// Given to the cardholder, without a signature.
        case cardholder
    }

    /// The keys of the journal's entries of version 1, which stay.
    private enum CodingKeys: String, CodingKey {
        case merchantName, terminalID, timestamp, orderID, operation, amount, requested, tip, serviceCharge, taxes, outcome, card,
            entryMode, approvalCode, chip, signature
        case requiresSignature = "signatureWanted"
    }
}

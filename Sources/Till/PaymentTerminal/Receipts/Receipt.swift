public import CardCapture

/// The printed data of a payment: the same for both copies, without card data that must not be on
/// paper.
public struct Receipt: Sendable, Equatable, Codable {
    /// ``Terminal/Configuration/merchantName`` at the time of the payment.
    public let merchantName: String
    /// ISO 8583 field 41.
    public let terminalID: String
    /// When the payment began, by the terminal's clock.
    public let timestamp: Timestamp
    /// The order of the payment, for a reversal or an inquiry.
    public let orderID: OrderID
    /// The operation in the heading: sale, refund and so on.
    public let operation: TerminalOperation
    /// The charged amount, tip, service charge and taxes included; the requested amount if nothing
    /// was charged.
    public let amount: Money
    /// The requested amount, of which the issuer may have approved a part.
    public let requested: Money
    /// Within ``requested``, like service charge and taxes.
    public let tip: Money?
    /// Within ``requested``; nil for none.
    public let serviceCharge: Money?
    /// Within ``requested``; empty if the merchant lists none.
    public let taxes: [TaxLine]
    /// It changes with that of the response, so that a later copy shows the current outcome.
    public internal(set) var outcome: PaymentResponse.Outcome
    /// The card data that may be shown; the lines show only the last four digits.
    public let card: CardSummary?
    /// Nil for a token, a referenced refund and a capture.
    public let entryMode: CapturedCard.EntryMode?
    /// Tag `89`, six characters; nil unless approved.
    public let approvalCode: String?
    /// Nil without a chip.
    public internal(set) var chip: ChipLines?
    /// Whether the cardholder must sign: on the merchant's copy, unless there is a ``signature``.
    public internal(set) var requiresSignature: Bool
    /// The signature from a screen or a pad.
    public internal(set) var signature: Signature?

    /// The recipient of the copy.
    public enum Copy: Sendable, CaseIterable {
        /// Kept by the merchant; the cardholder signs on it.
        case merchant
        /// Given to the cardholder, without a signature.
        case cardholder
    }
}

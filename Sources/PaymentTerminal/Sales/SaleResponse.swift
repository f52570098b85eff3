public import CardReaders

/// What became of a sale.
public struct SaleResponse: Sendable {
    public enum Outcome: Sendable, Equatable {
        case approved
        case declined
        /// Whether the host charged the card is not known; a reversal is on its way.
        case unknown
    }

    public enum Reversal: Sendable, Equatable {
        case none
        case performed
        /// Not delivered yet; the terminal offers it again before its next operation.
        case pending
    }

    public let orderID: OrderID
    public let outcome: Outcome
    public let reversal: Reversal
    /// The outcome in words, for the operator.
    public let description: String
    /// Authorisation response code, ISO 8583:1987 field 39 or the terminal's own `Y1`, `Z3` …; nil if nobody gave one.
    public let responseCode: String?
    public let approvalCode: String?
    /// What the host calls the transaction; nil if it was not asked or did not answer.
    public let uniqueReference: String?
    /// What was authorised; nil unless approved.
    public let authorizedAmount: Money?
    public let card: CardSummary?
    /// Nil for a token.
    public let entryMode: CapturedCard.EntryMode?
    /// The token of the card registered along; nil if none was.
    public let secureCardReference: SecureCardReference?
    public let receipt: Receipt

    public var didPerformReversal: Bool { reversal == .performed }
}

public import CardCapture

/// The outcome of a payment, a refund or a capture.
public struct PaymentResponse: Sendable, Equatable, Codable {
    public enum Outcome: Sendable, Equatable, Codable {
        case approved
        /// The issuer approved less than was asked for: the rest is to be paid otherwise.
        case partiallyApproved
        case declined
        /// Something was authorised, or may have been, and is undone.
        case reversed(ReversalReason)
        /// Taken without the host, who is still to hear of it: goods may be handed over at the merchant's risk.
        case storedOffline
        /// Whether the host charged the card is not known; the terminal goes on to find out and to undo it.
        case unknown
    }

    /// How far the reversal of an authorization is.
    public enum Reversal: String, Sendable, Equatable, Codable {
        case none
        case performed
        /// The host has not taken it yet; the terminal offers it until it does.
        case pending
    }

    public let orderID: OrderID
    public let operation: TerminalOperation
    public internal(set) var outcome: Outcome
    public internal(set) var reversal: Reversal
    /// The outcome in words, for the operator.
    public internal(set) var description: String
    /// Authorisation response code, ISO 8583:1987 field 39 or the terminal's own `Y1`, `Z3` …; nil if nobody gave one.
    public internal(set) var responseCode: String?
    /// Nil unless approved.
    public internal(set) var approvalCode: String?
    /// What the host calls the transaction; nil if it was not asked or did not answer.
    public internal(set) var uniqueReference: String?
    /// What was authorised; nil unless approved.
    public internal(set) var authorizedAmount: Money?
    public internal(set) var checks: CardholderChecks
    /// Sorted by name; nil in place of none, so that older entries of the journal can be read.
    var unsentFields: [PaymentField]? = nil
    public let card: CardSummary?
    /// Nil for a token, a referenced refund and a capture.
    public let entryMode: CapturedCard.EntryMode?
    /// The data objects of the chip that may be kept (EMV 4.4 Book 4, 12.1), BER-TLV coded in hexadecimal; nil without a chip.
    public internal(set) var emvTags: String?
    /// The token of the card registered along; nil if none was.
    public internal(set) var secureCardReference: SecureCardReference?
    public let timestamp: Timestamp
    public internal(set) var receipt: Receipt

    /// What the payment asked for and the host's interface has no place for (``Terminal/Configuration/UnsentFields/list``).
    public var fieldsNotSent: Set<PaymentField> { Set(unsentFields ?? []) }
    public var didPerformReversal: Bool { reversal == .performed }
    public var isApproved: Bool { outcome == .approved || outcome == .partiallyApproved }
}

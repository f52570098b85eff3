public import CardCapture

/// The outcome of a payment, a refund or a capture.
public struct PaymentResponse: Sendable, Equatable, Codable {
    /// What the point of sale acts on.
    public enum Outcome: Sendable, Equatable, Codable {
        /// The whole amount was authorized: hand over the goods.
        case approved
        /// The issuer approved less than was asked for: the rest is to be paid otherwise.
        case partiallyApproved
        /// Nothing was charged: ask for another means of payment.
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
        /// None was due.
        case none
        /// The host has undone the authorization.
        case performed
        /// The host has not taken it yet; the terminal offers it until it does.
        case pending
    }

    /// The order of the request.
    public let orderID: OrderID
    /// Sale, pre-authorization, refund or capture; it stays the same when the payment is reversed.
    public let operation: TerminalOperation
    /// It changes when the host has taken a stored payment, or a reversal.
    public internal(set) var outcome: Outcome
    /// It goes from pending to performed once the host has answered.
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
    /// Empty for a payment without billing address and CVV.
    public internal(set) var checks: CardholderChecks
    /// Sorted by name; nil in place of none, so that older entries of the journal can be read.
    var unsentFields: [PaymentField]? = nil
    /// What may be shown of the card; nil if neither reader nor host named one.
    public let card: CardSummary?
    /// Nil for a token, a referenced refund and a capture.
    public let entryMode: CapturedCard.EntryMode?
    /// The data objects of the chip that may be kept (EMV 4.4 Book 4, 12.1), BER-TLV coded in hexadecimal; nil without a chip.
    public internal(set) var emvTags: String?
    /// The token of the card registered along; nil if none was.
    public internal(set) var secureCardReference: SecureCardReference?
    /// When the payment began, by the terminal's clock.
    public let timestamp: Timestamp
    /// The same facts for printing, for both copies.
    public internal(set) var receipt: Receipt

    /// What the payment asked for and the host's interface has no place for (``Terminal/Configuration/UnsentFields/list``).
    public var fieldsNotSent: Set<PaymentField> { Set(unsentFields ?? []) }
    /// Whether the host has confirmed the reversal; false while it is pending.
    public var didPerformReversal: Bool { reversal == .performed }
    /// Whether all or a part of the amount was authorized;
    /// false for a payment that was stored offline.
    public var isApproved: Bool { outcome == .approved || outcome == .partiallyApproved }
}

extension PaymentResponse.Outcome {
    /// Whether the merchant hands over the goods.
    var isTaken: Bool {
        switch self {
        case .approved, .partiallyApproved, .storedOffline: true
        case .declined, .reversed, .unknown: false
        }
    }
}

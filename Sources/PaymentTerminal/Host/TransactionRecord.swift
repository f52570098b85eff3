public import CardCapture

/// A transaction as the host has it, with nothing of the card but what may be shown.
public struct TransactionRecord: Sendable, Equatable, Codable {
    public enum Kind: String, Sendable, Codable, CaseIterable {
        case sale
        case preAuthorization
        case capture
        case refund
        case accountVerification
    }

    public enum State: String, Sendable, Codable, CaseIterable {
        case pending
        case approved
        case declined
        /// Approved by the card alone.
        case approvedOffline
        /// An account verification that the issuer approved and the host has voided.
        case voided
        case reversed
        /// A pre-authorisation that was captured.
        case captured
        /// In a batch that was closed.
        case settled
    }

    public var orderID: OrderID
    /// What the host calls the transaction.
    public var uniqueReference: String
    public var kind: Kind
    public var state: State
    /// What was asked for; nil, as time and card, for a reversal that came before its order.
    public var amount: Money?
    /// What was authorised; nil unless approved.
    public var authorizedAmount: Money?
    /// By the terminal's clock.
    public var timestamp: Timestamp?
    public var maskedPAN: String?
    /// ISO 8583:1987, field 39; nil if the issuer was not asked.
    public var responseCode: String?
    public var approvalCode: String?
    /// The transaction that a refund or a capture belongs to, in the host's name for it.
    public var original: String?
    /// What has been refunded of it so far; nil if nothing has.
    public var refundedAmount: Money?
    public var reversalReason: ReversalReason?

    public init(orderID: OrderID, uniqueReference: String, kind: Kind, state: State, amount: Money? = nil) {
        self.orderID = orderID
        self.uniqueReference = uniqueReference
        self.kind = kind
        self.state = state
        self.amount = amount
    }
}

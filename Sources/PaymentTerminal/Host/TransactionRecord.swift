public import CardCapture

/// A transaction as the host has it, with nothing of the card but what may be shown.
public struct TransactionRecord: Sendable, Equatable, Codable {
    /// What the transaction does to the cardholder's account.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// Money taken at once.
        case sale
        /// Money set aside, for a capture to take.
        case preAuthorization
        /// Money taken of what was set aside, or a tip added to a sale.
        case capture
        /// Money given back.
        case refund
        /// An authorization of 0.00, which moves no money.
        case accountVerification
    }

    /// How far the transaction is at the host.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// The host has the order and has not decided on it.
        case pending
        /// The issuer approved; the batch is not closed yet.
        case approved
        /// The issuer declined: nothing was charged.
        case declined
        /// Approved by the card alone.
        case approvedOffline
        /// An account verification that the issuer approved and the host has voided.
        case voided
        /// It was undone at the terminal's request: ``reversalReason`` says why.
        case reversed
        /// A pre-authorisation that was captured.
        case captured
        /// In a batch that was closed.
        case settled
    }

    /// The order id that the terminal sent.
    public var orderID: OrderID
    /// What the host calls the transaction.
    public var uniqueReference: String
    /// Which kind of transaction it is.
    public var kind: Kind
    /// The state at the moment of the query.
    public var state: State
    /// What was asked for; nil, as time and card, for a reversal that came before its order.
    public var amount: Money?
    /// What was authorised; nil unless approved.
    public var authorizedAmount: Money?
    /// By the terminal's clock.
    public var timestamp: Timestamp?
    /// First six and last four digits, the rest hidden.
    public var maskedPAN: String?
    /// ISO 8583:1987, field 39; nil if the issuer was not asked.
    public var responseCode: String?
    /// Tag `89`, six characters; nil unless approved.
    public var approvalCode: String?
    /// The transaction that a refund or a capture belongs to, in the host's name for it.
    public var original: String?
    /// What has been refunded of it so far; nil if nothing has.
    public var refundedAmount: Money?
    /// Nil unless the transaction was reversed.
    public var reversalReason: ReversalReason?

    /// A record of what every transaction has; the other properties are nil until they are set.
    public init(orderID: OrderID, uniqueReference: String, kind: Kind, state: State, amount: Money? = nil) {
        self.orderID = orderID
        self.uniqueReference = uniqueReference
        self.kind = kind
        self.state = state
        self.amount = amount
    }
}

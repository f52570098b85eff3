public import CardCapture
private import TLV

/// The host's record of a transaction, without card data that must not be shown.
public struct TransactionRecord: Sendable, Equatable, Codable {
    /// The effect of the transaction on the cardholder's account.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// An amount charged at once.
        case sale
        /// An amount reserved for a later capture.
        case preAuthorization
        /// A reserved amount that is charged, or a tip added to a sale.
        case capture
        /// An amount returned to the cardholder.
        case refund
        /// An authorization of 0.00, which moves no money.
        case accountVerification
    }

    /// The state of the transaction at the host.
    public enum State: String, Sendable, Codable, CaseIterable {
        /// The host has received the order but not decided it.
        case pending
        /// The issuer approved; the batch is not closed yet.
        case approved
        /// The issuer declined: nothing was charged.
        case declined
        /// Approved only by the card.
        case approvedOffline
        /// An account verification that the issuer approved and the host has voided.
        case voided
        /// It was reversed at the terminal's request: ``reversalReason`` says why.
        case reversed
        /// A pre-authorisation that was captured.
        case captured
        /// In a closed batch.
        case settled
    }

    /// The order id that the terminal sent.
    public var orderID: OrderID
    /// The host's reference of the transaction.
    public var uniqueReference: String { didSet { uniqueReference = Masking.plain(uniqueReference) } }
    /// Which kind of transaction it is.
    public var kind: Kind
    /// The state at the time of the query.
    public var state: State
    /// The requested amount; nil, like time and card, for a reversal that arrived before its order.
    public var amount: Money?
    /// The authorised amount; nil unless approved.
    public var authorizedAmount: Money?
    /// By the terminal's clock.
    public var timestamp: Timestamp?
    /// First six and last four digits, the rest hidden, whatever the host returns.
    public var maskedPAN: String? { didSet { maskedPAN = maskedPAN.map(Masking.cardNumber) } }
    /// ISO 8583:1987, field 39; nil if the issuer was not asked.
    public var responseCode: String? { didSet { responseCode = responseCode.map(Masking.text) } }
    /// Tag `89`, up to six letters and digits; nil unless approved.
    public var approvalCode: String? { didSet { approvalCode = IssuerAnswer.Answer.approvalCode(approvalCode) } }
    /// The host's reference of the original transaction, for a refund or a capture.
    public var original: String? { didSet { original = original.map(Masking.plain) } }
    /// The refunded amount so far; nil if there is none.
    public var refundedAmount: Money?
    /// Nil unless the transaction was reversed.
    public var reversalReason: ReversalReason?

    /// A record with the data that every transaction has; the other properties are nil until they
    /// are set.
    public init(orderID: OrderID, uniqueReference: String, kind: Kind, state: State, amount: Money? = nil) {
        self.orderID = orderID
        self.uniqueReference = Masking.plain(uniqueReference)
        self.kind = kind
        self.state = state
        self.amount = amount
    }
}

/// The status of an order at a host.
public enum OrderStatus: Sendable {
    /// It has not arrived, but may still arrive.
    case notSeen
    /// It has arrived, but is not decided.
    case pending
    /// It was decided; with the answer that the terminal did not receive.
    case decided(AuthorizationResponse)
    /// It was reversed, or a reversal arrived first and blocks it.
    case reversed
}

public import CardReaders

/// What a terminal knows of one order of its own.
public struct JournalEntry: Sendable, Codable {
    /// How far the order has come: what the process that finds the entry may rely on.
    public enum Stage: String, Sendable, Codable {
        /// Nothing has been sent.
        case begun
        /// The request may have left.
        case asking
        /// The host's answer is here; what card and cardholder make of it is not.
        case answered
        /// The outcome stands, and the host is still to be told something.
        case owing
        /// The outcome stands, and the host needs nothing more.
        case finished
    }

    public let orderID: OrderID
    public let key: IdempotencyKey?
    public let operation: TerminalOperation
    /// Of the request, by ``TransactionJournal/digest(of:)``.
    public let digest: [UInt8]
    public let amount: Money
    public let tip: Money?
    public let serviceCharge: Money?
    public let taxes: [TaxLine]
    public let timestamp: Timestamp
    /// Whether less than the amount may be approved.
    public let allowsPartialApproval: Bool
    /// Whether the outcome hangs on a chip, which nobody can ask any more once the process has ended.
    public let needsCard: Bool
    /// The transaction that a refund or a capture is about, in the host's name for it.
    public let original: String?
    public internal(set) var stage: Stage
    public internal(set) var card: CardSummary?
    public internal(set) var entryMode: CapturedCard.EntryMode?
    /// The host's answer.
    public internal(set) var answer: AuthorizationResponse?
    /// What the caller was told, or will be; nil as long as there is no outcome.
    public internal(set) var response: PaymentResponse?
    /// What the host is still to be told, with stage ``Stage/owing``.
    public internal(set) var due: Due?

    init(_ payment: Payment, digest: [UInt8], needsCard: Bool, at timestamp: Timestamp) {
        orderID = payment.orderID
        key = payment.key
        operation = payment.operation
        self.digest = digest
        amount = payment.amount
        tip = payment.terms.tip
        serviceCharge = payment.terms.serviceCharge
        taxes = payment.terms.taxes
        self.timestamp = timestamp
        allowsPartialApproval = payment.terms.allowsPartialApproval
        self.needsCard = needsCard
        original = nil
        stage = .begun
    }

    init(_ followUp: FollowUp, key: IdempotencyKey?, digest: [UInt8]) {
        orderID = followUp.orderID
        self.key = key
        operation = TerminalOperation(followUp.kind)
        self.digest = digest
        amount = followUp.amount
        tip = nil
        serviceCharge = nil
        taxes = []
        timestamp = followUp.timestamp
        allowsPartialApproval = false
        needsCard = false
        original = followUp.original
        stage = .begun
    }

    /// What a terminal owes its host.
    public enum Due: Sendable, Codable {
        /// The card's last word, as field 55.
        case confirmation(chipData: [UInt8])
        case reversal(ReversalReason)
        /// The card approved without the host.
        case advice(StoredPayment)
        /// The terminal took the payment without the host, which has to decide now.
        case authorization(StoredPayment)
    }
}

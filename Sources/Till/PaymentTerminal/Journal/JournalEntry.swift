public import CardCapture

/// The journal entry of one order.
public struct JournalEntry: Sendable {
    /// The stage of the order, which a later process can rely on.
    public enum Stage: String, Sendable, Codable, CaseIterable {
        /// Nothing has been sent, and the journal does not have it yet.
        case begun
        /// The request may have left.
        case asking
        /// The host has answered, but the results of card and cardholder are not yet recorded.
        case answered
        /// The outcome is final, but the host must still receive a message.
        case owing
        /// The outcome is final, and the host needs no more messages.
        case finished
    }

    /// The order of the entry; each order has one entry.
    public let orderID: OrderID
    /// The key under which the request may be repeated; nil if the caller gave none.
    public let key: IdempotencyKey?
    /// Sale, pre-authorization, refund, capture, or the change of a secure card.
    public let operation: TerminalOperation
    /// The digest of the request, by ``TransactionJournal/digest(of:)``; empty for an order from
    /// the host's list (``wasFoundAtHost``).
    public let digest: [UInt8]
    /// The requested amount, tip and service charge included.
    public let amount: Money
    /// Within ``amount``; nil for none.
    public let tip: Money?
    /// Within ``amount``; nil for none.
    public let serviceCharge: Money?
    /// Within ``amount``; only for the receipt.
    public let taxes: [TaxLine]
    /// When the order began, by the terminal's clock; retention counts from here.
    public let timestamp: Timestamp
    /// Whether less than the amount may be approved.
    public let allowsPartialApproval: Bool
    /// Whether the outcome depends on a chip, which is no longer available after the process has
    /// ended.
    public let needsCard: Bool
    /// The host's reference of the original transaction, for a refund or a capture.
    public let original: String?
    /// The stage of the order; a finished entry may be purged.
    public internal(set) var stage: Stage
    /// The card data that may be shown; nil until the card was read, and for tokens.
    public internal(set) var card: CardSummary?
    /// How the card data were entered; nil until the card was read, and for tokens.
    public internal(set) var entryMode: CapturedCard.EntryMode?
    /// 16 bytes, the same for the same card; nil without ``OfflinePolicy/splitSaleHours``.
    var cardDigest: [UInt8]?
    /// Whether the approval code of a call to the issuer may have left, for an order that the host
    /// referred.
    var isReferred = false
    private var parts = Boxed(Parts())

    /// The large parts. Every suspended task of a payment has copies of its entry.
    private struct Parts {
        var answer: AuthorizationResponse?
        var response: PaymentResponse?
        var due: Due?
        var secureCard: SecureCardChange?
    }

    /// The host's answer: in stage ``Stage/answered``, and while a reversal of it is due.
    public internal(set) var answer: AuthorizationResponse? {
        get { parts.value.answer }
        set { parts.value.answer = newValue }
    }
    /// The response to the caller; nil until there is an outcome.
    public internal(set) var response: PaymentResponse? {
        get { parts.value.response }
        set { parts.value.response = newValue }
    }
    /// The pending message to the host, in stage ``Stage/owing``.
    public internal(set) var due: Due? {
        get { parts.value.due }
        set { parts.value.due = newValue }
    }
    /// The change of a secure card; nil for payments.
    var secureCard: SecureCardChange? {
        get { parts.value.secureCard }
        set { parts.value.secureCard = newValue }
    }

    /// A pending message to the host.
    public indirect enum Due: Sendable {
        /// The card's final data, as field 55.
        case confirmation(chipData: [UInt8])
        /// The host undoes everything that it authorized for the order.
        case reversal(ReversalReason)
        /// As ``reversal(_:)``, but only if the host's order with this id is this order: the host
        /// reported that it already had it.
        case reversalIfOurs(ReversalReason)
        /// The card approved without the host.
        case advice(StoredPayment)
        /// The card declined without the host and requested an advice.
        case declineAdvice(StoredPayment)
        /// The terminal accepted the payment without the host, which must decide now.
        case authorization(StoredPayment)
        /// The host has not decided on an order of its list that the journal had lost: it is asked.
        case inquiry
    }

    init(
        orderID: OrderID, key: IdempotencyKey?, operation: TerminalOperation, digest: [UInt8], amount: Money,
        tip: Money? = nil,
        serviceCharge: Money? = nil, taxes: [TaxLine] = [], timestamp: Timestamp, allowsPartialApproval: Bool = false,
        needsCard: Bool = false, original: String? = nil, stage: Stage = .begun
    ) {
        self.orderID = orderID
        self.key = key
        self.operation = operation
        self.digest = digest
        self.amount = amount
        self.tip = tip
        self.serviceCharge = serviceCharge
        self.taxes = taxes
        self.timestamp = timestamp
        self.allowsPartialApproval = allowsPartialApproval
        self.needsCard = needsCard
        self.original = original
        self.stage = stage
    }

    init(_ payment: Payment, digest: [UInt8], needsCard: Bool, at timestamp: Timestamp) {
        self.init(
            orderID: payment.orderID, key: payment.key, operation: payment.operation, digest: digest,
            amount: payment.amount, tip: payment.terms.tip, serviceCharge: payment.terms.serviceCharge,
            taxes: payment.terms.taxes, timestamp: timestamp,
            allowsPartialApproval: payment.terms.allowsPartialApproval, needsCard: needsCard)
    }

    init(_ request: ReferencedRequest, _ operation: TerminalOperation, key: IdempotencyKey?, digest: [UInt8]) {
        self.init(
            orderID: request.orderID, key: key, operation: operation, digest: digest, amount: request.amount,
            timestamp: request.timestamp, original: request.original)
    }

    /// Whether the entry was restored from the host's list, because the terminal had lost its own.
    public var wasFoundAtHost: Bool { digest.isEmpty }

    /// Whether it was accepted without the host, and the host has not accepted it yet.
    var isStored: Bool { response?.outcome == .storedOffline }

    /// Stores the card data that may be shown.
    mutating func take(_ card: PaymentCard) {
        switch card {
        case .captured(let captured):
            self.card = CardSummary(captured)
            entryMode = captured.entryMode
        case .keyed(let details, _):
            self.card = CardSummary(details)
            entryMode = .keyed
        case .token: break
        }
    }
}

extension JournalEntry: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(operation) \(orderID), \(stage)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

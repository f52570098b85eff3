public import CardCapture

/// What a terminal knows of one order of its own.
public struct JournalEntry: Sendable {
    /// How far the order has come: what the process that finds the entry may rely on.
    public enum Stage: String, Sendable, Codable, CaseIterable {
        /// Nothing has been sent. Only earlier releases wrote it.
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

    /// The order that the entry is about; the journal has one entry for each.
    public let orderID: OrderID
    /// The key under which the request may be repeated; nil if the caller gave none.
    public let key: IdempotencyKey?
    /// Sale, pre-authorization, refund, capture, or the change of a secure card.
    public let operation: TerminalOperation
    /// Of the request, by ``TransactionJournal/digest(of:)``; empty for an order that was found in the host's list (``wasFoundAtHost``).
    public let digest: [UInt8]
    /// What was asked for, tip and service charge included.
    public let amount: Money
    /// Within ``amount``; nil for none.
    public let tip: Money?
    /// Within ``amount``; nil for none.
    public let serviceCharge: Money?
    /// Within ``amount``; for the receipt alone.
    public let taxes: [TaxLine]
    /// When the order began, by the terminal's clock; retention counts from here.
    public let timestamp: Timestamp
    /// Whether less than the amount may be approved.
    public let allowsPartialApproval: Bool
    /// Whether the outcome hangs on a chip, which nobody can ask any more once the process has ended.
    public let needsCard: Bool
    /// The transaction that a refund or a capture is about, in the host's name for it.
    public let original: String?
    /// How far the order has come; a finished entry may be purged.
    public internal(set) var stage: Stage
    /// What may be shown of the card; nil until it was read, and for tokens.
    public internal(set) var card: CardSummary?
    /// How the card data came in; nil until the card was read, and for tokens.
    public internal(set) var entryMode: CapturedCard.EntryMode?
    /// 16 bytes, the same for the same card; nil without ``OfflinePolicy/splitSaleHours``.
    var cardDigest: [UInt8]?
    /// The host's answer: with stage ``Stage/answered``, and as long as a reversal of it is due.
    public internal(set) var answer: AuthorizationResponse?
    /// What the caller was told, or will be; nil as long as there is no outcome.
    public internal(set) var response: PaymentResponse?
    /// What the host is still to be told, with stage ``Stage/owing``.
    public internal(set) var due: Due?
    /// Whether the approval code of a call to the issuer may have left for an order that the host had referred.
    var isReferred = false
    /// The change that an entry of a secure card is about; nil for payments.
    var secureCard: SecureCardChange?

    /// What a terminal owes its host.
    public enum Due: Sendable {
        /// The card's last word, as field 55.
        case confirmation(chipData: [UInt8])
        /// The host undoes everything that it authorized for the order.
        case reversal(ReversalReason)
        /// As ``reversal(_:)``, if the host's order of this id proves to be this one: it said that it had the order before.
        case reversalIfOurs(ReversalReason)
        /// The card approved without the host.
        case advice(StoredPayment)
        /// The card declined without the host, and wants its issuer to hear of it.
        case declineAdvice(StoredPayment)
        /// The terminal took the payment without the host, which has to decide now.
        case authorization(StoredPayment)
    }

    init(
        orderID: OrderID, key: IdempotencyKey?, operation: TerminalOperation, digest: [UInt8], amount: Money, tip: Money? = nil,
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
            orderID: payment.orderID, key: payment.key, operation: payment.operation, digest: digest, amount: payment.amount,
            tip: payment.terms.tip, serviceCharge: payment.terms.serviceCharge, taxes: payment.terms.taxes, timestamp: timestamp,
            allowsPartialApproval: payment.terms.allowsPartialApproval, needsCard: needsCard)
    }

    init(_ request: ReferencedRequest, _ operation: TerminalOperation, key: IdempotencyKey?, digest: [UInt8]) {
        self.init(
            orderID: request.orderID, key: key, operation: operation, digest: digest, amount: request.amount,
            timestamp: request.timestamp, original: request.original)
    }

    /// Whether the terminal lost its own entry, and took this one from the host's list.
    public var wasFoundAtHost: Bool { digest.isEmpty }

    /// Whether it was taken without the host, and the host has not taken it yet.
    var isStored: Bool { response?.outcome == .storedOffline }

    /// Notes what may be shown of the card.
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

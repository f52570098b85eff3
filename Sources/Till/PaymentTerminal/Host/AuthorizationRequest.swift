public import CardCapture
private import EMVKernel

/// A request to the issuer, through the host.
public struct AuthorizationRequest: Sendable {
    /// The purpose of the request.
    public enum Purpose: String, Sendable, Codable {
        /// A payment that is captured with its approval.
        case sale
        /// An amount that is set aside, and taken by a ``PaymentHost/capture(_:)``.
        case preAuthorization
        /// Money back to a card, without reference to a sale.
        case refund
        /// An authorisation of 0.00 that verifies the account, and that the host voids by itself.
        case accountVerification
    }

    /// Who decides, and when.
    public enum Processing: String, Sendable, Codable {
        /// The cardholder is present and waits for the decision.
        case online
        /// The payment was accepted while the host was unreachable, and is authorised now.
        case deferred
        /// The card approved without the host, which records the payment and settles it.
        case approvedOffline
    }

    /// Unique for the terminal: the host refuses an order that it already knows.
    public let orderID: OrderID
    /// The purpose of the request; a sale by default.
    public let purpose: Purpose
    /// Online, unless the payment was accepted without the host.
    public let processing: Processing
    /// The total amount to charge, tip included.
    public let amount: Money
    /// When the payment began, by the terminal's clock.
    public let timestamp: Timestamp
    /// ISO 8583 field 41, 8 characters.
    public let terminalID: String
    /// The card as it was captured or keyed, or a token.
    public let card: PaymentCard
    /// Tip, taxes, descriptor and the other terms of the merchant.
    public let terms: PaymentTerms
    /// The secure card to register if the payment is approved.
    public let secureCard: SecureCard?
    /// The cardholder's signature, if the payment was accepted without the host; nil for a payment
    /// that the host decides at once. The signature of such a payment is sent with
    /// ``Advice/Result/finished(chipData:signature:)``.
    public let signature: Signature?

    /// A request of the terminal for its host; by default a sale that is decided online.
    public init(
        orderID: OrderID, purpose: Purpose = .sale, processing: Processing = .online, amount: Money,
        timestamp: Timestamp,
        terminalID: String, card: PaymentCard, terms: PaymentTerms = PaymentTerms(), secureCard: SecureCard? = nil,
        signature: Signature? = nil
    ) {
        self.orderID = orderID
        self.purpose = purpose
        self.processing = processing
        self.amount = amount
        self.timestamp = timestamp
        self.terminalID = terminalID
        self.card = card
        self.terms = terms
        self.secureCard = secureCard
        self.signature = signature
    }

    /// Whether the host is to decline a duplicate. A payment that was accepted without the host is
    /// checked only where the merchant requires it: its goods are gone.
    public var refusesDuplicates: Bool {
        switch terms.duplicateCheck {
        case .whereSupported: processing == .online
        case .required: true
        case .off: false
        }
    }

    /// The data objects of ISO 8583 field 55, BER-TLV coded; nil without a chip.
    public var chipData: [UInt8]? {
        guard case .captured(let card) = card else { return nil }
        return card.chip?.field55(for: .authorization)
    }
}

extension AuthorizationRequest: CustomStringConvertible, CustomReflectable {
    public var description: String { "order \(orderID), \(amount)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A refund or a capture of an earlier transaction of the host: ``PaymentHost/refund(_:)``,
/// ``PaymentHost/capture(_:)``.
public struct ReferencedRequest: Sendable, Equatable, Codable {
    /// Its own order id, not that of the original.
    public let orderID: OrderID
    /// The host's reference of the original transaction.
    public let original: String
    /// The amount to refund or capture, above zero.
    public let amount: Money
    /// When the request began, by the terminal's clock.
    public let timestamp: Timestamp
    /// ISO 8583 field 41, 8 characters.
    public let terminalID: String
    /// The name of the operator, for the merchant's records.
    public let operatorName: String?
    /// The reason; nil if none was given.
    public let reason: String?

    /// A request of the terminal for its host.
    public init(
        orderID: OrderID, original: String, amount: Money, timestamp: Timestamp, terminalID: String,
        operatorName: String? = nil,
        reason: String? = nil
    ) {
        self.orderID = orderID
        self.original = original
        self.amount = amount
        self.timestamp = timestamp
        self.terminalID = terminalID
        self.operatorName = operatorName
        self.reason = reason
    }
}

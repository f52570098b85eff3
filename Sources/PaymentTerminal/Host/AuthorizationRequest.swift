public import CardCapture
private import EMVKernel

/// A question to the issuer, by way of the host.
public struct AuthorizationRequest: Sendable {
    /// What the issuer is to decide on.
    public enum Purpose: String, Sendable, Codable {
        /// A payment that is captured with its approval.
        case sale
        /// An amount that is set aside, and taken by a ``PaymentHost/capture(_:)``.
        case preAuthorization
        /// Money back to a card, without reference to a sale.
        case refund
        /// An authorisation of 0.00 which shows that the account is good, and which the host voids by itself.
        case accountVerification
    }

    /// When the issuer is asked: while the cardholder is there, or later.
    public enum Processing: String, Sendable, Codable {
        /// The cardholder is there and waits for the decision.
        case online
        /// The payment was taken while the host could not be reached, and is authorised now.
        case deferred
    }

    /// Unique for the terminal: the host refuses an order that it has had.
    public let orderID: OrderID
    /// What is asked of the issuer; a sale by default.
    public let purpose: Purpose
    /// Online, unless the payment was taken while the host was away.
    public let processing: Processing
    /// Everything that is to be charged, the tip included.
    public let amount: Money
    /// When the payment began, by the terminal's clock.
    public let timestamp: Timestamp
    /// ISO 8583 field 41, 8 characters.
    public let terminalID: String
    /// The card as it was captured or keyed, or a token.
    public let card: PaymentCard
    /// Tip, taxes, descriptor and what else the merchant asked for.
    public let terms: PaymentTerms
    /// To be registered if the payment is approved.
    public let secureCard: SecureCard?
    /// What the cardholder signed where the payment was taken without the host; nil for a payment that the host decides on at once. That
    /// one's signature comes with ``Advice/Result/finished(chipData:signature:)``.
    public let signature: Signature?

    /// A request of the terminal for its host; by default a sale that is decided online.
    public init(
        orderID: OrderID, purpose: Purpose = .sale, processing: Processing = .online, amount: Money, timestamp: Timestamp,
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

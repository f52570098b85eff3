public import CardCapture
private import EMVKernel

/// A question to the issuer, by way of the host.
public struct AuthorizationRequest: Sendable {
    public enum Purpose: String, Sendable, Codable {
        case sale
        /// An amount that is set aside, and taken by a ``PaymentHost/capture(_:)``.
        case preAuthorization
        /// Money back to a card, without reference to a sale.
        case refund
        /// An authorisation of 0.00 which shows that the account is good, and which the host voids by itself.
        case accountVerification
    }

    public enum Processing: String, Sendable, Codable {
        case online
        /// The payment was taken while the host could not be reached, and is authorised now.
        case deferred
    }

    public let orderID: OrderID
    public let purpose: Purpose
    public let processing: Processing
    /// Everything that is to be charged, the tip included.
    public let amount: Money
    public let timestamp: Timestamp
    public let terminalID: String
    public let card: PaymentCard
    public let terms: PaymentTerms
    /// To be registered if the payment is approved.
    public let secureCard: SecureCard?

    public init(
        orderID: OrderID, purpose: Purpose = .sale, processing: Processing = .online, amount: Money, timestamp: Timestamp,
        terminalID: String,
        card: PaymentCard, terms: PaymentTerms = PaymentTerms(), secureCard: SecureCard? = nil
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

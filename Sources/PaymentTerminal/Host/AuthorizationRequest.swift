import CardReaders
private import EMVKernel

/// A question to the issuer, by way of the host.
public struct AuthorizationRequest: Sendable {
    public enum Purpose: Sendable, Equatable {
        case sale
        /// An authorisation of 0.00 which shows that the account is good, and which the host voids by itself.
        case accountVerification
    }

    public let orderID: OrderID
    public let purpose: Purpose
    public let amount: Money
    public let timestamp: Timestamp
    public let terminalID: String
    public let card: PaymentCard
    /// To be registered if the sale is approved.
    public let secureCard: SecureCard?

    public init(
        orderID: OrderID, purpose: Purpose = .sale, amount: Money, timestamp: Timestamp, terminalID: String, card: PaymentCard,
        secureCard: SecureCard? = nil
    ) {
        self.orderID = orderID
        self.purpose = purpose
        self.amount = amount
        self.timestamp = timestamp
        self.terminalID = terminalID
        self.card = card
        self.secureCard = secureCard
    }

    /// The data objects of ISO 8583 field 55, BER-TLV coded; nil without a chip.
    public var chipData: [UInt8]? {
        guard case .captured(let card) = card else { return nil }
        return card.chip?.field55(for: .authorisation)
    }
}

extension AuthorizationRequest: CustomStringConvertible, CustomReflectable {
    public var description: String { "order \(orderID), \(amount)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

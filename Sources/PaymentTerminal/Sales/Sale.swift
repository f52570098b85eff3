public import Bytes

/// A payment to be taken.
public struct Sale: Sendable {
    public enum Source: Sendable {
        /// A card presented to the connected reader.
        case reader
        /// Card data without a card.
        ///
        /// - Parameter cvv: three or four ASCII digits, which nobody keeps.
        case keyed(CardDetails, cvv: SecretBytes?)
        case secureCard(SecureCardReference)
    }

    public var orderID: OrderID
    /// Above zero, in the terminal's currency, at most 12 digits of minor units.
    public var amount: Money
    public var source: Source
    /// To be registered with the card that pays; its token comes with the answer.
    public var secureCard: SecureCard?

    public init(orderID: OrderID, amount: Money, source: Source = .reader, secureCard: SecureCard? = nil) {
        self.orderID = orderID
        self.amount = amount
        self.source = source
        self.secureCard = secureCard
    }
}

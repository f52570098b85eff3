public import Bytes

/// A payment to be taken.
public struct Sale: Sendable {
    /// Where the card data come from.
    public enum Source: Sendable {
        /// A card presented to the connected reader.
        case reader
        /// Card data without a card. With ``PaymentTerms/Channel/cardPresent`` a connected reader goes before them.
        ///
        /// - Parameter cvv: three or four ASCII digits, which nobody keeps.
        case keyed(CardDetails, cvv: SecretBytes?)
        /// Card data read by a camera, which sees no CVV; otherwise as keyed ones.
        case ocr(CardDetails)
        /// A card that is kept at the host, by its token; the reader is not used.
        case secureCard(SecureCardReference)
    }

    /// Unique on every call: an order that was processed before is refused.
    public var orderID: OrderID
    /// Set it to be able to ask again for the outcome; see ``IdempotencyKey``.
    public var idempotencyKey: IdempotencyKey?
    /// Above zero, in one of the terminal's currencies, at most 12 digits of minor units; with the tip in it.
    public var amount: Money
    /// The connected reader by default.
    public var source: Source
    /// Only sets the amount aside; ``Terminal/capture(_:)`` takes it.
    public var isPreAuthorization: Bool
    /// Tip, taxes, descriptor and other wishes; by default a card that is present and nothing more.
    public var terms: PaymentTerms
    /// Forces online authorization, regardless of card and limits.
    public var forcesOnline: Bool
    /// To be registered with the card that pays; its token comes with the answer.
    public var secureCard: SecureCard?

    /// A sale, by default with a card in the connected reader and captured at once.
    public init(
        orderID: OrderID, idempotencyKey: IdempotencyKey? = nil, amount: Money, source: Source = .reader,
        isPreAuthorization: Bool = false, terms: PaymentTerms = PaymentTerms(), forcesOnline: Bool = false, secureCard: SecureCard? = nil
    ) {
        self.orderID = orderID
        self.idempotencyKey = idempotencyKey
        self.amount = amount
        self.source = source
        self.isPreAuthorization = isPreAuthorization
        self.terms = terms
        self.forcesOnline = forcesOnline
        self.secureCard = secureCard
    }
}

public import Bytes

/// A request for a payment.
public struct Sale: Sendable {
    /// The source of the card data.
    public enum Source: Sendable {
        /// A card presented to the connected reader.
        case reader
        /// Card data without a card. With ``PaymentTerms/Channel/cardPresent``, a connected reader
        /// takes precedence.
        ///
        /// - Parameter cvv: three or four ASCII digits, which are never stored.
        case keyed(CardDetails, cvv: SecretBytes?)
        /// Card data read by a camera, without a CVV; otherwise like keyed data.
        case ocr(CardDetails)
        /// A card that is stored at the host, by its token; the reader is not used.
        case secureCard(SecureCardReference)
    }

    /// Unique on every call: an order that was processed before is refused.
    public var orderID: OrderID
    /// Set it to be able to repeat the request; see ``IdempotencyKey``.
    public var idempotencyKey: IdempotencyKey?
    /// Above zero, in the terminal's currency, at most 12 digits of minor units; tip included.
    public var amount: Money
    /// The connected reader by default.
    public var source: Source
    /// Only reserves the amount; ``Terminal/capture(_:)`` charges it.
    public var isPreAuthorization: Bool
    /// Tip, taxes, descriptor and other terms; by default card present, without other terms.
    public var terms: PaymentTerms
    /// Forces online authorization, regardless of card and limits.
    public var forcesOnline: Bool
    /// The secure card to register with the payment's card; the answer has its token.
    public var secureCard: SecureCard?

    /// A sale, by default with a card in the connected reader and captured at once.
    public init(
        orderID: OrderID, idempotencyKey: IdempotencyKey? = nil, amount: Money, source: Source = .reader,
        isPreAuthorization: Bool = false, terms: PaymentTerms = PaymentTerms(), forcesOnline: Bool = false,
        secureCard: SecureCard? = nil
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

    /// From texts: an order id of 1 to 24 characters, and an amount written as `12.34 EUR`.
    ///
    /// - Throws: ``HostError/Refusal/invalidRequest`` for the order id,
    ///   ``TerminalError/Code/invalidAmount`` for the amount; an invalid literal, too.
    public init(
        orderID: String, idempotencyKey: IdempotencyKey? = nil, amount: String, source: Source = .reader,
        isPreAuthorization: Bool = false, terms: PaymentTerms = PaymentTerms(), forcesOnline: Bool = false,
        secureCard: SecureCard? = nil
    ) throws(TerminalError) {
        self.init(
            orderID: try OrderID(requested: orderID), idempotencyKey: idempotencyKey,
            amount: try Money(requested: amount), source: source,
            isPreAuthorization: isPreAuthorization, terms: terms, forcesOnline: forcesOnline, secureCard: secureCard)
    }
}

private import Bytes
public import CardCapture
private import TLV

/// What may be shown of a card.
public struct CardSummary: Sendable, Equatable, Codable {
    /// First six and last four digits, the rest hidden; fewer, or none at all, from a reader that enciphers.
    public let maskedPAN: String
    /// Nil where the card data have no valid expiry date, or the reader hides it.
    public let expiry: ExpiryDate?
    /// The name on the card; nil if it is not known.
    public let cardholderName: String?

    /// - Parameter maskedPAN: hidden but for its first six and last four digits.
    public init(maskedPAN: String, expiry: ExpiryDate? = nil, cardholderName: String? = nil) {
        self.maskedPAN = maskedPAN
        self.expiry = expiry
        self.cardholderName = cardholderName
    }

    /// What may be shown of card data that were typed in: the number masked.
    public init(_ card: CardDetails) {
        var digits = card.pan.revealed()
        defer { wipe(&digits) }
        self.init(maskedPAN: Redaction.maskedPAN(digits), expiry: card.expiry, cardholderName: card.cardholderName)
    }

    /// What may be shown of a card that was read: as much of the number as
    /// ``CardCapture/CapturedCard/maskedPAN``.
    public init(_ card: CapturedCard) {
        self.init(maskedPAN: card.maskedPAN, expiry: card.expiry.flatMap { ExpiryDate(yymm: $0) }, cardholderName: card.cardholderName)
    }

    /// Nil if fewer than six leading digits are shown, or no scheme's range holds them.
    public var brand: CardBrand? { CardBrand(leadingDigits: maskedPAN.utf8) }
    /// For receipts and screens; shorter, or empty, if the reader shows less of the number.
    public var lastFourDigits: String { String(maskedPAN.suffix(4)) }
}

extension CardSummary: CustomStringConvertible, CustomReflectable {
    public var description: String { maskedPAN }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

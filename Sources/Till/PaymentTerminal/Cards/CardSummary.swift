private import Bytes
public import CardCapture
private import TLV

/// The data of a card that may be shown.
public struct CardSummary: Sendable, Equatable, Codable {
    /// First six and last four digits, the rest hidden; fewer, or none, from a reader that
    /// encrypts.
    public let maskedPAN: String
    /// Nil if the card data have no valid expiry date, or the reader hides it.
    public let expiry: ExpiryDate?
    /// The name on the card; nil if it is unknown.
    public let cardholderName: String?

    /// - Parameter maskedPAN: hidden except for the first six and last four digits. What a host
    ///   shows beyond them is hidden here.
    public init(maskedPAN: String, expiry: ExpiryDate? = nil, cardholderName: String? = nil) {
        self.maskedPAN = Masking.cardNumber(maskedPAN)
        self.expiry = expiry
        self.cardholderName = cardholderName.map(Masking.text)
    }

    /// The data of keyed card data that may be shown: the number is masked.
    public init(_ card: CardDetails) {
        var digits = card.pan.revealed()
        defer { wipe(&digits) }
        self.init(maskedPAN: Redaction.maskedPAN(digits), expiry: card.expiry, cardholderName: card.cardholderName)
    }

    /// The data of a card that may be shown, with the number as in
    /// ``CardCapture/CapturedCard/maskedPAN``.
    public init(_ card: CapturedCard) {
        self.init(maskedPAN: card.maskedPAN, expiry: card.expiry.flatMap { ExpiryDate(yymm: $0) }, cardholderName: card.cardholderName)
    }

    /// Nil if fewer than six leading digits are shown, or no scheme's range contains them.
    public var brand: CardBrand? { CardBrand(leadingDigits: maskedPAN.utf8) }
    /// For receipts and screens; shorter, or empty, if the reader shows less of the number.
    public var lastFourDigits: String { String(maskedPAN.suffix(4)) }
}

extension CardSummary: CustomStringConvertible, CustomReflectable {
    public var description: String { maskedPAN }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

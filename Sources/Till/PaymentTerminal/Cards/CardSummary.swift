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
        self.init(
            maskedPAN: card.maskedPAN, expiry: card.expiry.flatMap { ExpiryDate(yymm: $0) },
            cardholderName: card.cardholderName)
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

/// The card scheme that a card number belongs to.
public enum CardBrand: String, Sendable, Codable, CaseIterable {
    /// Card numbers that begin with 4.
    case visa = "VISA"
    /// Card numbers from 2221 to 2720, and from 51 to 55.
    case mastercard = "MASTERCARD"
    /// Card numbers that begin with 50, 56 to 58, 639 or 67.
    case maestro = "MAESTRO"
    /// Card numbers that begin with 34 or 37.
    case americanExpress = "AMEX"
    /// Card numbers that begin with 6011, and from 644 to 659.
    case discover = "DISCOVER"
    /// Card numbers from 300 to 305, and those that begin with 3095, 36, 38 or 39.
    case dinersClub = "DINERS"
    /// Card numbers from 3528 to 3589.
    case jcb = "JCB"
    /// Card numbers that begin with 62, and from 8100 to 8171.
    case unionPay = "UNIONPAY"

    /// The brand by the first digits of a card number, from the published ranges of issuer
    /// identification numbers.
    ///
    /// - Parameter leadingDigits: ASCII digits; only the first six are used. Nil if there are
    ///   fewer, or no range contains them.
    public init?(leadingDigits: some Collection<UInt8>) {
        let six = leadingDigits.prefix(6)
        guard six.count == 6, six.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        switch six.reduce(0, { $0 * 10 + Int($1 - 0x30) }) {
        case 300_000...305_999, 309_500...309_599, 360_000...369_999, 380_000...399_999: self = .dinersClub
        case 340_000...349_999, 370_000...379_999: self = .americanExpress
        case 352_800...358_999: self = .jcb
        case 400_000...499_999: self = .visa
        case 222_100...272_099, 510_000...559_999: self = .mastercard
        case 500_000...509_999, 560_000...589_999, 639_000...639_999, 670_000...679_999: self = .maestro
        case 601_100...601_199, 644_000...659_999: self = .discover
        case 620_000...629_999, 810_000...817_199: self = .unionPay
        default: return nil
        }
    }
}

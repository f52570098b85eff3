public import Bytes
public import CardCapture
private import MagneticStripe

/// The identification of a card account: keyed, read by a camera, or from a card that was read.
public struct CardDetails: Sendable {
    /// 12 to 19 ASCII digits with a valid check digit.
    public let pan: SecretBytes
    /// The last month in which the card is valid; the issuer checks whether it has passed.
    public let expiry: ExpiryDate
    /// The name on the card; nil if it was neither keyed nor returned by a reader.
    public let cardholderName: String?

    /// Card data that were keyed or read by a camera.
    ///
    /// - Throws: ``CardDetailsError/cardNumber`` unless `pan`
    ///   is 12 to 19 ASCII digits with a valid check digit.
    public init(pan: SecretBytes, expiry: ExpiryDate, cardholderName: String? = nil) throws(CardDetailsError) {
        var digits = pan.revealed()
        defer { wipe(&digits) }
        guard (12...19).contains(digits.count), Luhn.isValid(digits) else { throw .cardNumber }
        self.pan = pan
        self.expiry = expiry
        self.cardholderName = cardholderName
    }

    /// The card data of a card that was read.
    ///
    /// - Throws: ``CardDetailsError/enciphered`` without a clear card number,
    ///   ``CardDetailsError/expiry`` without a valid expiry date.
    public init(_ card: CapturedCard) throws(CardDetailsError) {
        guard let pan = card.pan else { throw .enciphered }
        guard let expiry = card.expiry.flatMap({ ExpiryDate(yymm: $0) }) else { throw .expiry }
        try self.init(pan: pan, expiry: expiry, cardholderName: card.cardholderName)
    }
}

extension CardDetails: CustomStringConvertible, CustomReflectable {
    public var description: String { CardSummary(self).maskedPAN }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why card data are invalid. No case repeats them.
public enum CardDetailsError: Error, Equatable, Sendable {
    /// Not 12 to 19 digits, or the check digit is wrong.
    case cardNumber
    /// Missing, or not a month from 01 to 12 and a year.
    case expiry
    /// The reader encrypts the card number.
    case enciphered
}

extension CardDetailsError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cardNumber: "the card number is invalid: check its digits"
        case .expiry: "the expiry date is invalid: give a month from 01 to 12 and a year"
        case .enciphered:
            "the reader encrypts the card number: use a host that decrypts its tracks, or give the reader's driver the keys"
        }
    }
}

/// The last month in which a card is valid.
public struct ExpiryDate: Sendable, Hashable, Codable {
    /// 0 to 99; the century is not on the card.
    public let year: UInt8
    /// 1 to 12.
    public let month: UInt8

    /// `1218` is December 2018, as embossed and keyed. Nil if the text is not such a date.
    public init?(mmyy text: some StringProtocol) {
        self.init(digits: Array(text.utf8), month: 0..<2, year: 2..<4)
    }

    /// `1812` is December 2018, as on the track and in tag `5F24`. Nil if the text is not such a
    /// date.
    public init?(yymm text: some StringProtocol) {
        self.init(digits: Array(text.utf8), month: 2..<4, year: 0..<2)
    }

    private init?(digits: [UInt8], month: Range<Int>, year: Range<Int>) {
        guard digits.count == 4, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let number = { (range: Range<Int>) in digits[range].reduce(0) { $0 * 10 + ($1 - 0x30) } }
        guard (1...12).contains(number(month)) else { return nil }
        self.month = number(month)
        self.year = number(year)
    }

    /// Four digits, `1218` for December 2018: as embossed.
    public var mmyy: String { Self.twoDigits(month) + Self.twoDigits(year) }
    /// Four digits, `1812` for December 2018: as on the track and in tag `5F24`.
    public var yymm: String { Self.twoDigits(year) + Self.twoDigits(month) }

    private static func twoDigits(_ number: UInt8) -> String { (number < 10 ? "0" : "") + String(number) }
}

/// The card of an authorisation request.
public indirect enum PaymentCard: Sendable {
    /// A card that a reader read, with tracks or chip data.
    case captured(CapturedCard)
    /// Card data without a card.
    ///
    /// - Parameter cvv: three or four ASCII digits, for this authorisation only: it is never
    ///   stored.
    case keyed(CardDetails, cvv: SecretBytes?)
    /// A card that is stored at the host, by its token.
    case token(SecureCardReference)
}

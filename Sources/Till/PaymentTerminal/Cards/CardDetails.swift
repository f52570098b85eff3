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

public import Bytes

/// Track 1 of a payment card in format B: PAN, name, expiry, service code, discretionary data
/// (ISO/IEC 7813).
///
/// Its description shows no data; see ``pan`` and the other properties.
public struct Track1: Sendable {
    /// ASCII digits, 8 to 19 of them. Blanks between them, as some issuers write, are removed.
    public let pan: SecretBytes
    public let name: CardholderName
    /// YYMM as four ASCII digits; nil if it is absent.
    public let expiry: String?
    /// Nil if it is absent.
    public let serviceCode: ServiceCode?
    /// ASCII; contains the card verification value, so it must never be stored.
    public let discretionaryData: SecretBytes

    /// The format of track 1, its first character (ISO/IEC 7813).
    public enum FormatCode: Sendable, Equatable {
        /// A: for the card issuer's own use.
        case issuer
        /// B: a bank or finance card, the format of ``Track1``.
        case bank
        /// C to M: reserved for the standard's committee.
        case reserved
        /// N to Z: for any issuer's use.
        case individual

        /// Nil if `character` is not an upper-case letter.
        public init?(_ character: UInt8) {
            switch character {
            case UInt8(ascii: "A"): self = .issuer
            case UInt8(ascii: "B"): self = .bank
            case UInt8(ascii: "C")...UInt8(ascii: "M"): self = .reserved
            case UInt8(ascii: "N")...UInt8(ascii: "Z"): self = .individual
            default: return nil
            }
        }
    }

    public init(_ text: TrackText) throws(TrackFormatError) {
        guard text.code == .alphanumeric else { throw .code }
        var fields = TrackFields(text)
        defer { fields.wipe() }
        guard let format = fields[fields.take(1)].first, FormatCode(format) == .bank else { throw .formatCode }
        var digits = fields[fields.takeToSeparator()].filter { $0 != UInt8(ascii: " ") }
        guard panLength.contains(digits.count), digits.allSatisfy(isDigit), fields.isSeparated else {
            wipe(&digits)
            throw .pan
        }
        pan = SecretBytes(wiping: &digits)
        let written = fields.takeToSeparator()
        guard fields.isSeparated else { throw .name }
        name = CardholderName(fields.text(written))
        expiry = try fields.takeDigits(4, else: .expiry)
        serviceCode = try fields.takeDigits(3, else: .serviceCode).flatMap { ServiceCode($0) }
        discretionaryData = fields.secret(fields.takeRest())
    }
}

extension Track1: CustomStringConvertible, CustomReflectable {
    public var description: String { "track 1, \(pan.count) digit PAN" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

private import Bytes

/// Card numbers in text and in bytes, by their check digit (ISO/IEC 7812-1, annex B) and their
/// context.
///
/// A number is found
/// - if it stands alone: 12 to 19 digits with no digit before or after, not beginning with 0;
/// - in groups, with spaces, hyphens, dots or underscores between them, if the groups are those of
///   a card or a payment system issues such numbers;
/// - in groups of one length, also with colons, slashes or commas or up to 16 characters between
///   them, if a payment system issues such numbers;
/// - within a longer run of digits, if a payment system issues such numbers.
public enum CardNumberScan {
    /// The minimum length of a card number.
    static let fewestDigits = 12

    /// Whether a card number stands alone in `text`, or in the groups of a card. A number within a
    /// longer run of digits does not count: a reference may be such a run.
    public static func containsCardNumber(_ text: String) -> Bool {
        !CardNumberRanges(symbols(of: text.unicodeScalars)).alone.isEmpty
    }

    /// `text` with every card number masked, also in the hexadecimal digits of characters, as an
    /// answer to reset is shown: the final protection for text from a card, a log, a host or a
    /// reader.
    public static func masked(_ text: String) -> String {
        var scalars = Array(text.unicodeScalars)
        let symbols = symbols(of: scalars)
        var places = CardNumberRanges(symbols).all.flatMap { hiddenPlaces($0, symbols) }
        for run in HexRun.all(in: scalars) {
            let characters = run.bytes.map { CardNumberSymbol(byte: $0) }
            for range in CardNumberRanges(characters).all {
                places += hiddenPlaces(range, characters).flatMap { [run.places[2 * $0], run.places[2 * $0 + 1]] }
            }
        }
        guard !places.isEmpty else { return text }
        for place in places { scalars[place] = Unicode.Scalar(mask) }
        var masked = String.UnicodeScalarView()
        masked.append(contentsOf: scalars)
        return String(masked)
    }

    /// `value` in hexadecimal digits, with every card number masked, whether in characters or in
    /// BCD.
    ///
    /// - Parameter content: What the value is, if that is known.
    package static func maskedHex(_ value: [UInt8], _ content: Content = .unknown) -> String {
        var digits = Array(value.hex.utf8)
        let characters = value.map { CardNumberSymbol(byte: $0) }
        for range in CardNumberRanges(characters).all {
            for place in hiddenPlaces(range, characters) { digits[2 * place..<2 * place + 2] = [mask, mask] }
        }
        let nibbles = nibbles(of: value)
        for range in ranges(nibbles, content) {
            for place in hiddenPlaces(range, nibbles) { digits[place] = mask }
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// The ASCII digits of every card number in the characters of `bytes`.
    package static func numbers(in bytes: [UInt8]) -> [[UInt8]] { numbers(bytes.map { CardNumberSymbol(byte: $0) }) }

    /// The ASCII digits of every card number in `value`, in characters or in BCD.
    package static func numbers(inValue value: [UInt8], _ content: Content) -> [[UInt8]] {
        let nibbles = nibbles(of: value)
        return numbers(in: value) + ranges(nibbles, content).map { nibbles[$0].compactMap(\.asciiDigit) }
    }

    /// What a value is: how likely its bytes look like the BCD digits of a number by chance.
    package enum Content: Sendable {
        /// Any number counts.
        case unknown
        /// Counters, codes and cryptograms: a number counts if a payment system issues such
        /// numbers.
        case structure
        /// A text such as VISA, or a name: a number counts if it is the whole value and a payment
        /// system issues such numbers.
        case text
    }

    private static func ranges(_ nibbles: [CardNumberSymbol], _ content: Content) -> [Range<Int>] {
        let found = CardNumberRanges(nibbles)
        return switch content {
        case .unknown: found.all
        case .structure: found.all.filter(found.isIssued)
        case .text: found.all.filter(found.isIssuedAlone)
        }
    }

    package static func numbers(in text: String) -> [[UInt8]] { numbers(symbols(of: text.unicodeScalars)) }

    private static let mask = UInt8(ascii: "*")

    private static func numbers(_ symbols: [CardNumberSymbol]) -> [[UInt8]] {
        CardNumberRanges(symbols).all.map { range in symbols[range].compactMap(\.asciiDigit) }
    }

    private static func symbols(of scalars: some Sequence<Unicode.Scalar>) -> [CardNumberSymbol] {
        scalars.map { CardNumberSymbol($0) }
    }

    private static func nibbles(of value: [UInt8]) -> [CardNumberSymbol] {
        value.flatMap { byte in [byte >> 4, byte & 0x0F].map { $0 < 10 ? .digit($0) : .other } }
    }

    /// The positions of the digits in `range` that must be hidden.
    private static func hiddenPlaces(_ range: Range<Int>, _ symbols: [CardNumberSymbol]) -> [Int] {
        let places = range.filter { symbols[$0].asciiDigit != nil }
        let shown = Redaction.maskedPAN(places.compactMap { symbols[$0].asciiDigit }).utf8
        return zip(places, shown).compactMap { $1 == mask ? $0 : nil }
    }
}

/// The role of a character in a card number.
enum CardNumberSymbol {
    case digit(UInt8)
    /// It may stand between the groups of a number.
    case separator
    /// It may stand between groups of one length: more often it is part of a date, a time or a
    /// list.
    case weakSeparator
    case other

    init(_ scalar: Unicode.Scalar) {
        guard !scalar.isASCII else {
            self.init(byte: UInt8(truncatingIfNeeded: scalar.value))
            return
        }
        switch scalar.properties.generalCategory {
        case .decimalNumber:
            self = scalar.properties.numericValue.flatMap { UInt8(exactly: $0) }.map { .digit($0) } ?? .other
        case .spaceSeparator, .dashPunctuation, .control, .format: self = .separator
        default: self = scalar == "\u{B7}" || scalar == "\u{2212}" ? .separator : .other
        }
    }

    init(byte: UInt8) {
        switch byte {
        case 0x30...0x39: self = .digit(byte & 0x0F)
        case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), 0x09: self = .separator
        case UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: ","): self = .weakSeparator
        default: self = .other
        }
    }

    var asciiDigit: UInt8? { if case .digit(let value) = self { 0x30 | value } else { nil } }
}

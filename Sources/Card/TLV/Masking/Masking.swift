private import Bytes

/// The one gate for what is shown of a log, of a card and of what a host said: on a terminal, in a
/// page, in a file.
///
/// Data objects are hidden by ``TLV/Redaction``, and card numbers wherever they are
/// (``CardNumberScan``).
public enum Masking {
    /// `text` on one line, without card numbers, and without characters that steer a terminal or
    /// the direction of writing.
    public static func text(_ text: some StringProtocol) -> String {
        // Most words have nothing to hide and stay the string that they are, which costs no memory.
        let (isPlain, digits) = ascii(text)
        return isPlain && digits < CardNumberScan.fewestDigits ? String(text) : CardNumberScan.masked(plain(text))
    }

    /// Whether `text` is printable ASCII throughout, and how many digits it has.
    private static func ascii(_ text: some StringProtocol) -> (isPlain: Bool, digits: Int) {
        // The type does not depend on the text: this is called for each word of an explanation.
        let utf8 = Substring(text).utf8
        let bytes = utf8.span
        var digits = 0
        for index in bytes.indices {
            guard (0x20...0x7E).contains(bytes[index]) else { return (false, 0) }
            if (0x30...0x39).contains(bytes[index]) { digits += 1 }
        }
        return (true, digits)
    }

    /// `text` on one line, without characters that steer a terminal or the direction of writing:
    /// for the data of test cards.
    public static func plain(_ text: some StringProtocol) -> String {
        ascii(text).isPlain ? String(text) : text.onOneLine()
    }

    /// A card number that a host has masked, as far as it may be shown: the first six and the last
    /// four digits, of a number of 12 digits or fewer the last four. What is no such number is
    /// shown as a text is, without the card numbers in it.
    public static func cardNumber(_ text: some StringProtocol) -> String {
        let places = text.unicodeScalars.filter { $0 != " " && $0 != "-" }
        guard places.count <= 19, places.allSatisfy({ isDigit($0) || "*xX.#".unicodeScalars.contains($0) }) else {
            return Self.text(text.onOneLine(atMost: 64))
        }
        let first = places.count > 12 ? 6 : 0
        var shown = String.UnicodeScalarView()
        for (index, place) in places.enumerated() {
            shown.append(isDigit(place) && (index < first || index >= places.count - 4) ? place : "*")
        }
        return String(shown)
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    /// Whether nothing of `text` is visible.
    package static func isBlank(_ text: String) -> Bool {
        // The first letter of a word tells.
        if let first = text.utf8.first, (0x21...0x7E).contains(first) { return false }
        return plain(text).unicodeScalars.allSatisfy { $0 == " " }
    }

    /// `value` in hexadecimal digits as far as it may be shown as that of `tag`.
    public static func hex(_ tag: Tag, _ value: [UInt8]) -> String {
        if Redaction.sensitiveTags.contains(tag) { return Redaction.hex(tag, value) }
        return randomTags.contains(tag) ? value.hex : CardNumberScan.maskedHex(value, content(of: tag, value))
    }

    /// BER-TLV `bytes` in hexadecimal digits, each value as far as it may be shown; hidden whole if
    /// they are no BER-TLV.
    public static func hex(tlv bytes: [UInt8]) -> String {
        var shown = ""
        var end = 0
        var walker = TLVWalker()
        do {
            while let node = try walker.next(in: bytes.span) {
                shown += bytes[end..<node.value.lowerBound].hex
                end = node.value.lowerBound
                guard !node.tag.isConstructed else { continue }
                shown += hex(node.tag, Array(bytes[node.value]))
                end = node.value.upperBound
            }
        } catch {
            return String(repeating: Redaction.mask, count: bytes.count * 2)
        }
        return shown + CardNumberScan.maskedHex(Array(bytes[end...]))
    }

    /// What `value` is, whose bytes may look like BCD digits by chance.
    package static func content(of tag: Tag, _ value: [UInt8]) -> CardNumberScan.Content {
        if structures.contains(tag) { return .structure }
        let isText =
            switch TagDictionary[tag]?.format {
            case .alphabetic, .alphanumeric, .alphanumericSpecial:
                value.allSatisfy { (0x20...0x7E).contains($0) || $0 >= 0xA0 }
            default: tag == .dfName || tag == .adfName || tag == .applicationIdentifierTerminal
            }
        return isText ? .text : .unknown
    }

    /// EMV 4.4 Book 3, annex A: the answers of format 1 have no number of a card, and neither have
    /// these.
    private static let structures: Set<Tag> = [
        .responseTemplate1, .issuerApplicationData, .applicationFileLocator, .applicationCryptogram,
        .unpredictableNumber,
        .issuerAuthenticationData,
    ]

    /// Certificates and signatures, in whose hundreds of bytes some digits look like a card number
    /// by chance.
    package static let randomTags: Set<Tag> = [
        .issuerPublicKeyCertificate, .issuerPublicKeyRemainder, .signedStaticApplicationData,
        .signedDynamicApplicationData,
    ]
}

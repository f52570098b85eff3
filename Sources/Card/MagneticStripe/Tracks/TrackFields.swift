internal import Bytes

/// Parses the fields of a track from the left, each as a range; ``wipe()`` wipes the characters.
struct TrackFields {
    private var characters: [UInt8]
    private var position = 0
    private let separator: UInt8

    init(_ text: TrackText) {
        characters = text.characters.revealed()
        separator = text.code.fieldSeparator
    }

    /// Copies `characters`, ASCII, and wipes them.
    init(wiping characters: inout [UInt8], separator: UInt8) {
        self.characters = characters
        self.separator = separator
        Bytes.wipe(&characters)
    }

    mutating func wipe() { Bytes.wipe(&characters) }

    // MARK: What lies there

    subscript(field: Range<Int>) -> ArraySlice<UInt8> { characters[field] }

    func areDigits(_ field: Range<Int>) -> Bool { characters[field].allSatisfy(isDigit) }
    func secret(_ field: Range<Int>) -> SecretBytes { SecretBytes(characters[field]) }

    /// The text without surrounding blanks.
    func text(_ field: Range<Int>) -> String { trimmedText(characters[field]) }

    // MARK: Taking

    var isAtEnd: Bool { position >= characters.count }
    /// The number of remaining characters.
    var count: Int { characters.count - position }
    /// Whether the last field ended with a separator.
    private(set) var isSeparated = false

    /// The next `count` characters, or fewer at the end.
    mutating func take(_ count: Int) -> Range<Int> {
        let start = position
        position = min(start + count, characters.count)
        isSeparated = false
        return start..<position
    }

    mutating func takeRest() -> Range<Int> { take(count) }

    /// The characters up to the next separator, or to the end. Skips the separator.
    mutating func takeToSeparator() -> Range<Int> { take(upTo: count) }

    /// At most `count` characters: fewer end with a separator, which is skipped; after `count`
    /// characters it is optional.
    mutating func take(upTo count: Int) -> Range<Int> {
        let start = position
        let end =
            characters[start...].prefix(count + 1).firstIndex(of: separator) ?? min(start + count, characters.count)
        position = end
        isSeparated = passSeparator()
        return start..<end
    }

    mutating func passSeparator() -> Bool {
        guard !isAtEnd, characters[position] == separator else { return false }
        position += 1
        return true
    }

    /// `count` digits, or nil at a separator or at the end. Skips the separator.
    mutating func takeDigits(_ count: Int, else error: TrackFormatError) throws(TrackFormatError) -> String? {
        if isAtEnd || passSeparator() { return nil }
        return try takeDigitsAlways(count, else: error)
    }

    /// `count` digits.
    mutating func takeDigitsAlways(_ count: Int, else error: TrackFormatError) throws(TrackFormatError) -> String {
        let field = take(count)
        guard field.count == count, areDigits(field) else { throw error }
        return text(field)
    }

    /// `count` secret characters, or nil at a separator or at the end. Skips the separator.
    mutating func takeSecret(_ count: Int, else error: TrackFormatError) throws(TrackFormatError) -> SecretBytes? {
        if isAtEnd || passSeparator() { return nil }
        let field = take(count)
        guard field.count == count else { throw error }
        return secret(field)
    }
}

func isDigit(_ character: UInt8) -> Bool { (0x30...0x39).contains(character) }

/// ASCII `characters` without surrounding blanks.
func trimmedText(_ characters: some BidirectionalCollection<UInt8>) -> String {
    let blank = UInt8(ascii: " ")
    return String(decoding: characters.drop { $0 == blank }.reversed().drop { $0 == blank }.reversed(), as: UTF8.self)
}

/// The number of digits of a PAN (ISO/IEC 7812-1).
let panLength = 8...19

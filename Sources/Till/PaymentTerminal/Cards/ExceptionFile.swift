public import Bytes
private import CardCryptography
private import FoundationEssentials
public import JSONDocument

/// The cards that must not pay without authorization by their issuer, identified by keyed hashes of
/// their numbers (EMV 4.4 Book 4, 6.3.5).
///
/// The file is a text. Its first line has the format, its version and 16 hexadecimal digits that
/// identify the key. Each line after it has 64 hexadecimal digits, the HMAC-SHA-256 of a card
/// number, followed by a space and the PAN sequence number in two digits if the line applies only
/// to that card. Without the key, the file does not reveal whether a card number is listed.
public struct ExceptionFile: Sendable {
    /// The maximum number of cards in one file.
    public static let maximumCount = 1_000_000
    static let format = "cardpresent-exceptions 1 "
    /// Each line has at most 64 digits, a space, two digits and the line's end.
    private static let maximumSize: UInt64 = 69 * 1_000_001

    /// The first half of the hash: the probability that two of a million numbers have the same is
    /// below 2⁻⁸⁸.
    fileprivate struct Card: Hashable {
        let high: UInt64
        let low: UInt64
        /// Tag `5F34`, format n 2: 0x12 is number 12.
        let sequenceNumber: UInt8?
    }

    private let key: SecretBytes
    private let cards: Set<Card>

    /// - Parameters:
    ///   - text: The contents of the file.
    ///   - key: 32 bytes.
    /// - Throws: `DocumentError` with the line, also for a wrong key.
    public init(parsing text: String, key: SecretBytes) throws(DocumentError) {
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).makeIterator()
        guard let first = lines.next().map({ Substring($0) }), first.hasPrefix(Self.format) else {
            throw DocumentError("line 1", ConfigurationFault.notAnExceptionFile)
        }
        guard first.dropFirst(Self.format.count) == Self.checkValue(key) else {
            throw DocumentError("line 1", ConfigurationFault.otherExceptionKey)
        }
        var cards: Set<Card> = []
        var number = 1
        while let line = lines.next() {
            number += 1
            guard !line.isEmpty else { continue }
            guard let card = Card(line: Substring(line)) else {
                throw DocumentError("line \(number)", ConfigurationFault.exceptionLine)
            }
            cards.insert(card)
            guard cards.count <= Self.maximumCount else {
                throw DocumentError("line \(number)", ConfigurationFault.tooManyExceptions)
            }
        }
        self.key = key
        self.cards = cards
    }

    /// Reads the file and its key, which has 64 hexadecimal digits in a file that only its owner
    /// can read.
    public static func load(_ path: String, keyFile: String) throws(DocumentError) -> ExceptionFile {
        let key = try self.key(keyFile)
        let text = try ConfigurationFile(path: path, place: "exceptions.file", maximumSize: maximumSize).text()
        do throws(DocumentError) {
            return try ExceptionFile(parsing: text, key: key)
        } catch {
            throw DocumentError("exceptions.file", ConfigurationFault.document(path, error))
        }
    }

    /// The key from a separate file: 64 hexadecimal digits, readable only by its owner.
    public static func key(_ path: String) throws(DocumentError) -> SecretBytes {
        var digits: [UInt8]
        do throws(PrivateFile.Failure) {
            digits = try PrivateFile.read(path, maximumSize: 4096)
        } catch {
            throw DocumentError("exceptions.key", ConfigurationFault.notPrivate(path, error))
        }
        defer { wipe(&digits) }
        let text = String(decoding: digits, as: UTF8.self)
        guard var bytes = try? [UInt8](hex: text.filter { !$0.isWhitespace }), bytes.count == 32 else {
            throw DocumentError("exceptions.key", ConfigurationFault.notAnExceptionKey(path))
        }
        return SecretBytes(wiping: &bytes)
    }

    /// The text of a file that lists `cards`.
    ///
    /// - Parameter cards: Each card's number in ASCII digits. A PAN sequence number, tag `5F34` in
    ///   format n 2, lists only that card of the account; without one, every card of the account is
    ///   listed.
    public static func text(of cards: [(pan: SecretBytes, sequenceNumber: UInt8?)], key: SecretBytes) -> String {
        let lines = cards.map { card in
            hash(card.pan, key).hex.lowercased() + (card.sequenceNumber.map { " " + [$0].hex } ?? "")
        }
        return ([format + checkValue(key)] + lines).joined(separator: "\n") + "\n"
    }

    /// Whether the card is listed, with this sequence number or without one.
    ///
    /// - Parameters:
    ///   - pan: ASCII digits.
    ///   - sequenceNumber: Tag `5F34`, format n 2; nil if the card has none.
    public func contains(pan: SecretBytes, sequenceNumber: UInt8?) -> Bool {
        guard !cards.isEmpty else { return false }
        let hash = Self.hash(pan, key)
        return cards.contains(Card(hash, sequenceNumber: nil))
            || sequenceNumber.map { cards.contains(Card(hash, sequenceNumber: $0)) } ?? false
    }

    /// The value of tag `5F34`, format n 2, of two ASCII digits; nil for other input.
    package static func sequenceNumber(_ digits: some Collection<UInt8>) -> UInt8? {
        guard digits.count == 2, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 << 4 | $1 & 0x0F }
    }

    /// The number of listed cards.
    public var count: Int { cards.count }

    private static func hash(_ pan: SecretBytes, _ key: SecretBytes) -> [UInt8] {
        var digits = pan.revealed()
        defer { wipe(&digits) }
        return HMACSHA256.authenticate(digits, key: key)
    }

    /// Not the hash of any card number.
    private static func checkValue(_ key: SecretBytes) -> String {
        Array(HMACSHA256.authenticate(Array("CardPresent exceptions".utf8), key: key).prefix(8)).hex.lowercased()
    }
}

extension ExceptionFile.Card {
    /// - Parameter hash: 32 bytes.
    fileprivate init(_ hash: [UInt8], sequenceNumber: UInt8?) {
        high = hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = hash.dropFirst(8).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        self.sequenceNumber = sequenceNumber
    }

    /// Nil if the line is invalid.
    fileprivate init?(line: Substring) {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard let first = parts.first, first.utf8.count == 64, let hash = try? [UInt8](hex: String(first)),
            parts.count <= 2
        else {
            return nil
        }
        var sequenceNumber: UInt8?
        if parts.count == 2 {
            guard let number = ExceptionFile.sequenceNumber(parts[1].utf8) else { return nil }
            sequenceNumber = number
        }
        self.init(hash, sequenceNumber: sequenceNumber)
    }
}

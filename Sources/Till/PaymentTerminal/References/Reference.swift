private import Bytes
private import TLV

/// A text that identifies something in messages between application, terminal and host, with its
/// own rules.
public protocol Reference: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The text for messages, receipts and the journal.
    var text: String { get }
    /// Checks the text, which is not changed unless the type says otherwise.
    ///
    /// - Throws: ``ReferenceError`` if the text breaks the type's rules.
    init(_ text: String) throws(ReferenceError)
}

extension Reference {
    public var description: String { text }

    /// From a plain text; an invalid one does not decode.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// The integrator's id of a transaction: unique on every call, 1 to 24 characters.
///
/// The host refuses a known one, so that a repeated request never charges twice.
public struct OrderID: Reference {
    public let text: String

    public init(_ text: String) throws(ReferenceError) {
        try ReferenceError.check(text, limit: 24)
        self.text = text
    }

    /// An order id that was accepted earlier: what was kept under it must stay readable.
    package init(kept text: String) throws(ReferenceError) {
        try ReferenceError.check(text, limit: 24, isKept: true)
        self.text = text
    }

    /// From a plain text of a journal or a vault; an invalid one does not decode.
    public init(from decoder: any Decoder) throws {
        try self.init(kept: decoder.singleValueContainer().decode(String.self))
    }

    /// The order id of an account verification, which the terminal creates itself. It is random,
    /// and therefore unique among terminals that share a host, also after a start.
    static func verification() -> OrderID {
        OrderID(unchecked: "verify-" + String(UInt64.random(in: 0...UInt64.max), radix: 36))
    }

    /// The order id of a secure card change in the journal, which is not sent to a host.
    static func secureCardChange() -> OrderID {
        OrderID(unchecked: "secure-" + String(UInt64.random(in: 0...UInt64.max), radix: 36))
    }

    private init(unchecked text: String) { self.text = text }
}

extension OrderID: ExpressibleByStringLiteral {
    /// An invalid literal is a programming error, and traps.
    public init(stringLiteral text: String) {
        do { try self.init(text) } catch { preconditionFailure("the order id \"\(text)\" is invalid: \(error)") }
    }
}

/// The integrator's name for a secure card: chosen by the application, unique within its terminal,
/// 1 to 48 characters.
public struct MerchantReference: Reference {
    public let text: String

    public init(_ text: String) throws(ReferenceError) {
        try ReferenceError.check(text, limit: 48)
        self.text = text
    }
}

/// The id of a payment in the integrator's system: 1 to 50 characters, unique within the merchant.
public struct ExternalID: Reference {
    public let text: String

    public init(_ text: String) throws(ReferenceError) {
        try ReferenceError.check(text, limit: 50)
        self.text = text
    }
}

/// The token of a card: assigned by the host, useless elsewhere.
public struct SecureCardReference: Reference {
    public let text: String

    /// - Parameter text: the token from the host; it may look like a card number, but is not one.
    public init(_ text: String) { self.text = Masking.plain(text) }
}

/// The text of a payment on the cardholder's statement: 1 to 22 ASCII characters in upper case,
/// with at least one letter.
public struct StatementDescriptor: Reference {
    /// The maximum number of characters of a descriptor, suffix included.
    public static let limit = 22
    public let text: String

    /// Characters outside ASCII are removed and letters converted to upper case, as acquirers do.
    ///
    /// - Throws: An error if no letter remains, or if there are more than 22 characters, a control
    ///   character, or one of `<`, `>`, `\`, `"` and `'`.
    public init(_ text: String) throws(ReferenceError) {
        let ascii = String(text.unicodeScalars.filter(\.isASCII)).uppercased()
        guard ascii.contains(where: \.isLetter) else { throw ascii.isEmpty ? .empty : .noLetter }
        guard !ascii.contains(where: { "<>\\\"'".contains($0) }) else { throw .forbiddenCharacter }
        try ReferenceError.check(ascii, limit: Self.limit)
        self.text = ascii
    }

    /// This descriptor, `* `, and `suffix`; together at most 22 characters.
    public func appending(_ suffix: String) throws(ReferenceError) -> StatementDescriptor {
        try StatementDescriptor("\(text)* \(suffix)")
    }
}

/// Why a text is refused as a reference. No case repeats the text.
public enum ReferenceError: Error, Equatable, Sendable {
    /// The text has no character.
    case empty
    /// The text has `count` Unicode scalars, and at most `limit` are allowed.
    case tooLong(count: Int, limit: Int)
    /// The text contains a line break, a tab or another control character, or a character that is
    /// not seen and steers those around it (Unicode's format characters).
    case controlCharacter
    /// The text contains a possible card number, which must not reach logs, receipts and databases.
    case cardNumber
    /// A statement descriptor contains one of `<`, `>`, `\`, `"` and `'`.
    case forbiddenCharacter
    /// A statement descriptor has no letter.
    case noLetter
}

extension ReferenceError {
    /// Refuses `text` if it is empty, contains a control or format character or a card number, or
    /// has more than `limit` Unicode scalars.
    ///
    /// - Parameter isKept: Whether the text was accepted earlier, when format characters were
    ///   allowed.
    static func check(_ text: String, limit: Int, isKept: Bool = false) throws(ReferenceError) {
        let scalars = text.unicodeScalars
        guard !text.isEmpty else { throw .empty }
        guard scalars.count <= limit else { throw .tooLong(count: scalars.count, limit: limit) }
        let isRefused =
            isKept ? scalars.contains { $0.properties.generalCategory == .control } : text.hasSteeringCharacters
        guard !isRefused else { throw .controlCharacter }
        guard !CardNumberScan.containsCardNumber(text) else { throw .cardNumber }
    }
}

extension ReferenceError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "the reference is empty: choose one"
        case .tooLong(let count, let limit): "the reference has \(count) characters: at most \(limit) fit"
        case .controlCharacter: "the reference contains a control or format character: use printable characters"
        case .cardNumber: "the reference contains a card number: choose another"
        case .forbiddenCharacter: "the descriptor contains one of < > \\ \" ': remove it"
        case .noLetter: "the descriptor has no letter: use at least one"
        }
    }
}

private import Bytes
private import TLV

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
        let isRefused = isKept ? scalars.contains { $0.properties.generalCategory == .control } : text.hasSteeringCharacters
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

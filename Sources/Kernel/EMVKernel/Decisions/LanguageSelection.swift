/// Selects the language of the messages to the cardholder (EMV 4.4 Book 4, 11.1).
package struct LanguageSelection {
    /// The terminal's languages, the local one first.
    let supported: [Language]
    /// Nil until one is selected.
    private(set) var language: Language?
    /// The cardholder selected it: the card's preferences are ignored from then on.
    private var isCardholders = false

    init(supported: [Language]) { self.supported = supported }

    /// Selects the first of the card's preferences that the terminal supports.
    /// - Returns: The language if it has changed; nil otherwise.
    mutating func match(_ preferences: [Language]) -> Language? {
        guard hasChoice, !isCardholders, let match = preferences.first(where: supported.contains), match != language
        else { return nil }
        language = match
        return match
    }

    /// Selects the cardholder's language, or the local language if the cardholder could not select
    /// or selected an unsupported one.
    mutating func resolve(_ selected: Language?) -> Language {
        let known = selected.flatMap { supported.contains($0) ? $0 : nil }
        isCardholders = known != nil
        let resolved = known ?? supported[0]
        language = resolved
        return resolved
    }

    /// Whether the cardholder must still be asked; false for a terminal with one language.
    var isOpen: Bool { hasChoice && language == nil }

    private var hasChoice: Bool { supported.count > 1 }

    /// The languages of tag `5F2D`, the most preferred first: one to four, two letters each. Empty
    /// if the value is invalid, which counts as absent (EMV 4.4 Book 1, 12.2.4).
    package static func preferences(_ value: [UInt8]?) -> [Language] {
        guard let value, (2...8).contains(value.count), value.count.isMultiple(of: 2) else { return [] }
        let languages = stride(from: 0, to: value.count, by: 2).map {
            Language(String(decoding: value[$0..<$0 + 2], as: UTF8.self))
        }
        return languages.contains(nil) ? [] : languages.compactMap(\.self)
    }
}

/// A language by its two letters (ISO 639-1), in lower case.
public struct Language: Hashable, Sendable, CustomStringConvertible {
    /// Two lower-case letters, such as `de`.
    public let code: String

    /// Nil if `code` is not two letters of the Latin alphabet; case-insensitive (EMV 4.4 Book 1,
    /// annex B1).
    public init?(_ code: some StringProtocol) {
        let letters = code.utf8.map { $0 | 0x20 }
        guard letters.count == 2, letters.allSatisfy({ (0x61...0x7A).contains($0) }), code.allSatisfy(\.isLetter) else {
            return nil
        }
        self.code = String(decoding: letters, as: UTF8.self)
    }

    public var description: String { code }
}

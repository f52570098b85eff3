/// A cardholder's name as cards carry it: surname, a slash, given names, a point and a title (ISO/IEC 7813; tag `5F20` has it too).
///
/// Nothing prints it; see ``text`` and the rest.
public struct CardholderName: Sendable, Equatable {
    /// As on the card, without the blanks around it. Empty if the card has no name, or a slash alone, as EMV writes that.
    public let text: String
    /// Nil where no slash says which part is the surname: a company, a gift card, a name in the order of speech.
    public let surname: String?
    /// In their order; initials are names too.
    public let givenNames: [String]
    /// JR, SR or a number in Roman digits, from the end of the surname or of the given names.
    public let suffix: String?
    /// What follows the point: MR, DR.
    public let title: String?

    public init(_ written: String) {
        let text = Self.trimmed(written[...])
        guard let slash = text.firstIndex(of: "/") else {
            self.text = text
            (surname, givenNames, suffix, title) = (nil, [], nil, nil)
            return
        }
        var family = Self.words(text[..<slash])
        var rest = text[text.index(after: slash)...]
        var title = ""
        // A point with a blank after it belongs to an initial.
        if let point = rest.lastIndex(of: "."), rest[rest.index(after: point)...].first.map({ $0 != " " }) ?? false {
            title = Self.trimmed(rest[rest.index(after: point)...])
            rest = rest[..<point]
        }
        var given = Self.words(rest)
        suffix = Self.takeSuffix(&family) ?? Self.takeSuffix(&given)
        surname = family.isEmpty ? nil : family.joined(separator: " ")
        givenNames = given
        self.title = title.isEmpty ? nil : title
        self.text = family.isEmpty && given.isEmpty && title.isEmpty ? "" : text
    }

    /// In the order of speech: title, given names, surname, suffix; the text itself where it is not taken apart.
    public var spoken: String {
        guard surname != nil || !givenNames.isEmpty else { return text }
        return ([title].compactMap { $0 } + givenNames + [surname, suffix].compactMap { $0 }).joined(separator: " ")
    }

    private static func words(_ text: Substring) -> [String] {
        text.split { $0 == " " || $0 == "/" }.map { $0.last == "." ? String($0.dropLast()) : String($0) }.filter { !$0.isEmpty }
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " }.reversed())
    }

    private static func takeSuffix(_ words: inout [String]) -> String? {
        guard words.count > 1, let last = words.last, ["JR", "SR", "II", "III", "IV"].contains(last.uppercased()) else { return nil }
        words.removeLast()
        return last
    }
}

extension CardholderName: CustomStringConvertible, CustomReflectable {
    public var description: String { "a cardholder's name" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

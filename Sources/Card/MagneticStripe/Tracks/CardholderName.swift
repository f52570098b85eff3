/// A cardholder's name on a card: surname, a slash, given names, a point and a title (ISO/IEC 7813;
/// also in tag `5F20`).
///
/// It is never printed; see ``text`` and the other properties.
public struct CardholderName: Sendable, Equatable {
    /// As on the card, without surrounding blanks. Empty if the card has no name, or only a slash,
    /// which EMV uses for that.
    public let text: String
    /// Nil if no slash marks the surname: a company, a gift card, a name in spoken order.
    public let surname: String?
    /// In order; initials count as names.
    public let givenNames: [String]
    /// JR, SR or a number in Roman digits, from the end of the surname or of the given names.
    public let suffix: String?
    /// The text after the point: MR, DR.
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

    /// In spoken order: title, given names, surname, suffix; ``text`` if it has no parts.
    public var spoken: String {
        guard surname != nil || !givenNames.isEmpty else { return text }
        return ([title].compactMap { $0 } + givenNames + [surname, suffix].compactMap { $0 }).joined(separator: " ")
    }

    private static func words(_ text: Substring) -> [String] {
        text.split { $0 == " " || $0 == "/" }.map { $0.last == "." ? String($0.dropLast()) : String($0) }.filter {
            !$0.isEmpty
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        let start = text.drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " }.reversed())
    }

    private static func takeSuffix(_ words: inout [String]) -> String? {
        guard words.count > 1, let last = words.last, ["JR", "SR", "II", "III", "IV"].contains(last.uppercased()) else {
            return nil
        }
        words.removeLast()
        return last
    }
}

extension CardholderName: CustomStringConvertible, CustomReflectable {
    public var description: String { "a cardholder's name" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

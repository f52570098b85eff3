/// Pieces of a page. Every text passes through ``escaped(_:)``; the result is also well-formed XML,
/// so that any parser can check it.
enum Markup {
    /// Text from card, host or log, escaped for an element or an attribute.
    static func escaped(_ text: some StringProtocol) -> String {
        // Most texts need no escaping.
        let needsNothing = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): false
            default: (0x20...0x7E).contains(byte)
            }
        }
        return needsNothing ? String(text) : written(text)
    }

    /// Escaped text with a space that does not break between an amount and its currency,
    /// `12.34 EUR`.
    static func unbroken(_ text: String) -> String {
        var result = ""
        var rest = Substring(escaped(text))
        while let space = rest.firstIndex(of: " ") {
            let word = rest[rest.index(after: space)...].prefix { $0.isLetter }
            let isCurrency = word.utf8.count == 3 && word.utf8.allSatisfy { (0x41...0x5A).contains($0) }
            result += rest[..<space] + (isCurrency && rest[..<space].last?.isNumber == true ? "\u{A0}" : " ")
            rest = rest[rest.index(after: space)...]
        }
        return result + rest
    }

    private static func written(_ text: some StringProtocol) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            default:
                let isForbidden =
                    scalar.properties.generalCategory == .control || scalar.properties.isNoncharacterCodePoint
                result.unicodeScalars.append(isForbidden || scalar.properties.isBidiControl ? " " : scalar)
            }
        }
    }

    /// An element with text in it.
    static func element(_ name: String, _ style: String? = nil, text: some StringProtocol) -> String {
        element(name, style, escaped(text))
    }

    /// An element with other markup in it.
    static func element(_ name: String, _ contents: String) -> String { "<\(name)>\(contents)</\(name)>" }

    /// An element of a class with other markup in it.
    static func element(_ name: String, _ style: String?, _ contents: String) -> String {
        "<\(name)\(style.map { " class=\"\($0)\"" } ?? "")>\(contents)</\(name)>"
    }

    /// A list of texts; nothing for none.
    static func list(_ style: String, _ texts: [String]) -> String {
        texts.isEmpty ? "" : element("ul", style, texts.map { element("li", text: $0) }.joined())
    }
}

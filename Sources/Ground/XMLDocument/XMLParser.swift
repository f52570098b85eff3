/// Why a text is not a document that messages consist of. No case repeats the text.
public enum XMLError: Error, Sendable, Equatable {
    /// The document has more than ``XMLElement/maximumSize`` bytes.
    case tooLarge
    /// More than eight elements lie in each other.
    case tooDeep
    case notUTF8
    /// The document breaks the rules at this byte.
    case malformed(at: Int)
    /// A document type, a processing instruction or a namespace, which no message has.
    case unsupported(at: Int)
}

extension XMLError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLarge: "the document is too large"
        case .tooDeep: "the document nests too deeply"
        case .notUTF8: "the document is not UTF-8"
        case .malformed(let place): "the document is malformed at byte \(place)"
        case .unsupported(let place): "the document has unsupported content at byte \(place)"
        }
    }
}

extension XMLElement {
    /// In bytes.
    public static let maximumSize = 65_536

    /// The root of `document`.
    public init(parsing document: [UInt8]) throws(XMLError) {
        guard document.count <= Self.maximumSize else { throw .tooLarge }
        guard String(validating: document, as: UTF8.self) != nil else { throw .notUTF8 }
        var parser = XMLParser(bytes: document)
        self = try parser.document()
    }
}

private struct XMLParser {
    private static let maximumDepth = 8
    let bytes: [UInt8]
    var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(XMLError) -> XMLElement {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
        if take("<?xml ") { try skip(to: "?>") }
        try skipBetween()
        let root = try element(depth: 1)
        try skipBetween()
        guard place == bytes.count else { throw .malformed(at: place) }
        return root
    }

    private mutating func element(depth: Int) throws(XMLError) -> XMLElement {
        guard depth <= Self.maximumDepth else { throw .tooDeep }
        guard take("<") else { throw .malformed(at: place) }
        if place < bytes.count, [UInt8(ascii: "!"), UInt8(ascii: "?")].contains(bytes[place]) {
            throw .unsupported(at: place)
        }
        var element = XMLElement(try name())
        while true {
            skipSpace()
            if take("/>") { return element }
            if take(">") { break }
            let attribute = try name()
            skipSpace()
            guard take("=") else { throw .malformed(at: place) }
            skipSpace()
            guard element.attributes.updateValue(try quoted(), forKey: attribute) == nil else {
                throw .malformed(at: place)
            }
        }
        var text: [UInt8] = []
        while true {
            guard place < bytes.count else { throw .malformed(at: place) }
            if take("</") { break }
            if take("<!--") {
                try skip(to: "-->")
            } else if take("<![CDATA[") {
                while !take("]]>") {
                    guard place < bytes.count else { throw .malformed(at: place) }
                    try plain(to: &text)
                }
            } else if bytes[place] == UInt8(ascii: "<") {
                element.children.append(try self.element(depth: depth + 1))
            } else {
                try character(to: &text)
            }
        }
        guard try name() == element.name else { throw .malformed(at: place) }
        skipSpace()
        guard take(">") else { throw .malformed(at: place) }
        if element.children.isEmpty {
            element.text = String(decoding: text, as: UTF8.self)
        } else if !text.allSatisfy({ Self.isSpace($0) }) {
            throw .malformed(at: place)
        }
        return element
    }

    /// Letters, digits, `_`, `-` and `.`: what names of messages consist of.
    private mutating func name() throws(XMLError) -> String {
        let start = place
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): break
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                if place == start { throw .malformed(at: place) }
            case UInt8(ascii: ":"): throw .unsupported(at: place)
            default:
                guard place > start else { throw .malformed(at: place) }
                // ordered: the place only moves on
                return String(decoding: bytes[start..<place], as: UTF8.self)
            }
            place += 1
        }
        throw .malformed(at: place)
    }

    private mutating func quoted() throws(XMLError) -> String {
        guard place < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[place]) else {
            throw .malformed(at: place)
        }
        let quote = bytes[place]
        place += 1
        var text: [UInt8] = []
        while place < bytes.count, bytes[place] != quote {
            guard bytes[place] != UInt8(ascii: "<") else { throw .malformed(at: place) }
            try character(to: &text)
        }
        guard place < bytes.count else { throw .malformed(at: place) }
        place += 1
        return String(decoding: text, as: UTF8.self)
    }

    /// One byte as it stands. A carriage return before a line feed goes, one alone is a line feed
    /// (XML 1.0, 2.11).
    private mutating func plain(to text: inout [UInt8]) throws(XMLError) {
        let byte = bytes[place]
        guard byte >= 0x20 || Self.isSpace(byte) else { throw .malformed(at: place) }
        place += 1
        guard byte == 0x0D else { return text.append(byte) }
        if place == bytes.count || bytes[place] != 0x0A { text.append(0x0A) }
    }

    /// One byte, or what a reference stands for.
    private mutating func character(to text: inout [UInt8]) throws(XMLError) {
        guard bytes[place] == UInt8(ascii: "&") else { return try plain(to: &text) }
        let references: [(String, Character)] = [
            ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"),
        ]
        for (reference, character) in references where take(reference) {
            text += String(character).utf8
            return
        }
        let start = place
        guard take("&#") else { throw .malformed(at: place) }
        let radix = take("x") ? 16 : 10
        let digits = bytes[place...].prefix(8).prefix { $0 != UInt8(ascii: ";") }
        place += digits.count
        guard take(";"), !digits.isEmpty, digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let number = UInt32(String(decoding: digits, as: UTF8.self), radix: radix),
            let scalar = Unicode.Scalar(number),
            number >= 0x20 || [0x09, 0x0A, 0x0D].contains(number), number != 0xFFFE, number != 0xFFFF
        else { throw .malformed(at: start) }
        text += String(scalar).utf8
    }

    /// White space and comments around the root.
    private mutating func skipBetween() throws(XMLError) {
        skipSpace()
        while take("<!--") {
            try skip(to: "-->")
            skipSpace()
        }
    }

    private mutating func skipSpace() {
        while place < bytes.count, Self.isSpace(bytes[place]) { place += 1 }
    }

    /// To behind the next `end`.
    private mutating func skip(to end: String) throws(XMLError) {
        let start = place
        while place < bytes.count {
            if take(end) { return }
            place += 1
        }
        throw .malformed(at: start)
    }

    private mutating func take(_ text: String) -> Bool {
        guard bytes[place...].starts(with: text.utf8) else { return false }
        place += text.utf8.count
        return true
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}

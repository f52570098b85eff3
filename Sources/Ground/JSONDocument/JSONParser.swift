extension JSON {
    /// In bytes, of a message.
    public static let maximumSize = 1_048_576

    /// The value that `document` consists of. A key that an object has twice is refused: two
    /// readers might disagree.
    public init(parsing document: [UInt8]) throws(JSONError) {
        var parser = JSONParser(bytes: document, maximumSize: Self.maximumSize)
        self = try parser.document()
    }
}

/// Reads a document, and finds where a value of it stands.
struct JSONParser {
    /// Where a value stands. Offsets are in bytes.
    struct Mark {
        /// As in ``DocumentError/path``.
        let path: String
        /// Of a value without a key, the same as ``value``.
        let key: Int
        let value: Int
    }

    private static let maximumDepth = 32
    private let bytes: [UInt8]
    private let maximumSize: Int
    private var place = 0
    /// Whether a value is looked for, by its path; nil where nobody looks for one.
    private let isWanted: ((String) -> Bool)?
    /// The last value that was looked for, as far as the document was read.
    private(set) var mark: Mark?

    init(bytes: [UInt8], maximumSize: Int, wanted isWanted: ((String) -> Bool)? = nil) {
        self.bytes = bytes
        self.maximumSize = maximumSize
        self.isWanted = isWanted
    }

    mutating func document() throws(JSONError) -> JSON {
        guard bytes.count <= maximumSize else { throw fault(.tooLarge(maximum: maximumSize), at: 0) }
        guard String(validating: bytes, as: UTF8.self) != nil else { throw fault(.notUTF8, at: 0) }
        // A byte order mark, which some editors write (RFC 8259, 8.1).
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
        let value = try value("", depth: 1)
        skipSpace()
        guard place == bytes.count else { throw fault(.moreThanOneValue) }
        return value
    }

    /// - Parameter key: The offset of its key; nil without one.
    private mutating func value(_ path: String, key: Int? = nil, depth: Int) throws(JSONError) -> JSON {
        guard depth <= Self.maximumDepth else { throw fault(.tooDeep(maximum: Self.maximumDepth)) }
        skipSpace()
        note(path, key: key ?? place)
        guard let byte = next else { throw fault(depth == 1 ? .noValue : .noEnd) }
        switch byte {
        case UInt8(ascii: "{"): return .object(try members(path, depth))
        case UInt8(ascii: "["): return .list(try elements(path, depth))
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .number(try number())
        default:
            if take("true") { return .flag(true) }
            if take("false") { return .flag(false) }
            if take("null") { return .null }
            throw stranger(orElse: .noValue)
        }
    }

    private mutating func members(_ path: String, _ depth: Int) throws(JSONError) -> [JSON.Member] {
        var members: [JSON.Member] = []
        var names: Set<String> = []
        try sequence(until: "}") { parser throws(JSONError) in
            let key = parser.place
            guard parser.next == UInt8(ascii: "\"") else { throw parser.stranger(orElse: .noKey) }
            let name = try parser.text()
            let path = parser.isWanted == nil ? "" : join(path, name)
            guard names.insert(name).inserted else {
                parser.note(path, key: key)
                throw parser.fault(.doubledKey, at: key)
            }
            parser.skipSpace()
            guard parser.take(":") else { throw parser.fault(.noColon) }
            members.append(JSON.Member(name, try parser.value(path, key: key, depth: depth + 1)))
        }
        return members
    }

    private mutating func elements(_ path: String, _ depth: Int) throws(JSONError) -> [JSON] {
        var elements: [JSON] = []
        try sequence(until: "]") { parser throws(JSONError) in
            let path = parser.isWanted == nil ? "" : "\(path)[\(elements.count)]"
            elements.append(try parser.value(path, depth: depth + 1))
        }
        return elements
    }

    private mutating func note(_ path: String, key: Int) {
        if isWanted?(path) == true { mark = Mark(path: path, key: key, value: place) }
    }

    /// What stands between two brackets, with commas between.
    private mutating func sequence(
        until end: String, _ element: (inout JSONParser) throws(JSONError) -> Void
    ) throws(JSONError) {
        place += 1
        skipSpace()
        if take(end) { return }
        while true {
            try element(&self)
            skipSpace()
            if take(end) { return }
            guard next != nil else { throw fault(.noEnd) }
            guard take(",") else { throw stranger(orElse: .noComma) }
            skipSpace()
            if next == end.utf8.first { throw fault(.trailingComma) }
        }
    }

    private mutating func text() throws(JSONError) -> String {
        let start = place
        place += 1
        var text: [UInt8] = []
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                place += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += String(try escaped()).utf8
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): throw fault(.textWithoutEnd, at: start)
            case 0..<0x20: throw fault(.controlCharacter)
            default:
                place += 1
                text.append(byte)
            }
        }
        throw fault(.textWithoutEnd, at: start)
    }

    /// The character of an escape sequence.
    private mutating func escaped() throws(JSONError) -> Unicode.Scalar {
        let start = place
        place += 1
        guard let byte = next else { throw fault(.invalidEscape, at: start) }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let first = fourDigits() else { throw fault(.invalidEscape, at: start) }
            if let scalar = Unicode.Scalar(first) { return scalar }
            // A pair of surrogates (RFC 8259, 7).
            guard (0xD800..<0xDC00).contains(first), take("\\u"), let second = fourDigits(),
                (0xDC00..<0xE000).contains(second),
                let scalar = Unicode.Scalar(0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00))
            else { throw fault(.loneSurrogate, at: start) }
            return scalar
        default: throw fault(.invalidEscape, at: start)
        }
    }

    private mutating func fourDigits() -> UInt32? {
        let digits = bytes[place...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        place += 4
        return number
    }

    private mutating func number() throws(JSONError) -> String {
        let start = place
        _ = take("-")
        let whole = digits()
        guard whole == 1 || whole > 1 && bytes[place - whole] != UInt8(ascii: "0") else {
            throw fault(.invalidNumber, at: start)
        }
        if take("."), digits() == 0 { throw fault(.invalidNumber, at: start) }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            if digits() == 0 { throw fault(.invalidNumber, at: start) }
        }
        // ordered: the place only moves on
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    /// How many were read.
    private mutating func digits() -> Int {
        let start = place
        while let byte = next, (0x30...0x39).contains(byte) { place += 1 }
        return place - start
    }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func take(_ text: String) -> Bool {
        guard bytes[place...].starts(with: text.utf8) else { return false }
        place += text.utf8.count
        return true
    }

    /// What people write that JSON does not have, or else `fault`.
    private func stranger(orElse fault: JSONError.Fault) -> JSONError {
        switch next {
        case UInt8(ascii: "/"), UInt8(ascii: "#"): self.fault(.comment)
        case UInt8(ascii: "'"): self.fault(.singleQuote)
        case nil: self.fault(.noEnd)
        default: self.fault(fault)
        }
    }

    /// - Parameter offset: nil for the place of the next byte.
    private func fault(_ fault: JSONError.Fault, at offset: Int? = nil) -> JSONError {
        JSONError(fault: fault, position: DocumentError.Position(of: offset ?? place, in: bytes))
    }
}

/// The path of a member of the object at `path`.
func join(_ path: String, _ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

extension JSON {
    /// In bytes.
    public static let maximumSize = 1_048_576

    /// The value that `document` consists of. A name that an object has twice is refused: two
    /// readers might disagree.
    public init(parsing document: [UInt8]) throws(DocumentError) {
        guard document.count <= Self.maximumSize else { throw .tooLarge }
        guard String(validating: document, as: UTF8.self) != nil else { throw .notUTF8 }
        var parser = JSONParser(bytes: document)
        self = try parser.document()
    }
}

private struct JSONParser {
    private static let maximumDepth = 32
    let bytes: [UInt8]
    var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(DocumentError) -> JSON {
        let value = try value(depth: 1)
        skipSpace()
        guard place == bytes.count else { throw .malformed(at: place) }
        return value
    }

    private mutating func value(depth: Int) throws(DocumentError) -> JSON {
        guard depth <= Self.maximumDepth else { throw .tooDeep }
        skipSpace()
        guard place < bytes.count else { throw .malformed(at: place) }
        switch bytes[place] {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try list(depth)
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        default:
            if take("true") { return .flag(true) }
            if take("false") { return .flag(false) }
            if take("null") { return .null }
            throw .malformed(at: place)
        }
    }

    private mutating func object(_ depth: Int) throws(DocumentError) -> JSON {
        place += 1
        skipSpace()
        if take("}") { return .object([JSON.Member]()) }
        var members: [JSON.Member] = []
        var names: Set<String> = []
        while true {
            skipSpace()
            guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { throw .malformed(at: place) }
            let name = try text()
            guard names.insert(name).inserted else { throw .malformed(at: place) }
            skipSpace()
            guard take(":") else { throw .malformed(at: place) }
            members.append(JSON.Member(name, try value(depth: depth + 1)))
            skipSpace()
            if take("}") { return .object(members) }
            guard take(",") else { throw .malformed(at: place) }
        }
    }

    private mutating func list(_ depth: Int) throws(DocumentError) -> JSON {
        place += 1
        skipSpace()
        if take("]") { return .list([]) }
        var values: [JSON] = []
        while true {
            values.append(try value(depth: depth + 1))
            skipSpace()
            if take("]") { return .list(values) }
            guard take(",") else { throw .malformed(at: place) }
        }
    }

    private mutating func text() throws(DocumentError) -> String {
        place += 1
        var text: [UInt8] = []
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += String(try escaped()).utf8
            case 0..<0x20: throw .malformed(at: place - 1)
            default: text.append(byte)
            }
        }
        throw .malformed(at: place)
    }

    /// The character of an escape sequence, read behind its reverse solidus.
    private mutating func escaped() throws(DocumentError) -> Unicode.Scalar {
        guard place < bytes.count else { throw .malformed(at: place) }
        let byte = bytes[place]
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let first = try fourDigits()
            if let scalar = Unicode.Scalar(first) { return scalar }
            // A pair of surrogates (RFC 8259, 7).
            guard (0xD800..<0xDC00).contains(first), take("\\u") else { throw .malformed(at: place) }
            let second = try fourDigits()
            guard (0xDC00..<0xE000).contains(second),
                let scalar = Unicode.Scalar(0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00))
            else { throw .malformed(at: place) }
            return scalar
        default: throw .malformed(at: place - 1)
        }
    }

    private mutating func fourDigits() throws(DocumentError) -> UInt32 {
        let digits = bytes[place...].prefix(4)
        guard digits.count == 4, let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
            digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
        else { throw .malformed(at: place) }
        place += 4
        return number
    }

    private mutating func number() throws(DocumentError) -> String {
        let start = place
        _ = take("-")
        let whole = try digits()
        guard whole == 1 || bytes[place - whole] != UInt8(ascii: "0") else { throw .malformed(at: start) }
        if take(".") { _ = try digits() }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            _ = try digits()
        }
        // ordered: the place only moves on
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private mutating func digits() throws(DocumentError) -> Int {
        let start = place
        while place < bytes.count, (0x30...0x39).contains(bytes[place]) { place += 1 }
        guard place > start else { throw .malformed(at: place) }
        return place - start
    }

    private mutating func skipSpace() {
        while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
    }

    private mutating func take(_ text: String) -> Bool {
        guard bytes[place...].starts(with: text.utf8) else { return false }
        place += text.utf8.count
        return true
    }
}

public import Bytes

/// A JSON value (RFC 8259): of files that people write, of gateways, of documents. A number is kept
/// as it is written, so that an amount is never a binary fraction.
public indirect enum JSON: Sendable, Equatable {
    case null
    case flag(Bool)
    case number(String)
    case text(String)
    /// A text in UTF-8 that is wiped. A parsed document has no such text.
    case secret(SecretBytes)
    case list([JSON])
    case object([Member])

    public struct Member: Sendable, Equatable {
        public let name: String
        public let value: JSON

        public init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// A whole number.
    public static func number(_ value: some BinaryInteger) -> JSON { .number(String(value)) }

    /// The members whose value is not nil, in the order given.
    public static func object(_ members: KeyValuePairs<String, JSON?>) -> JSON {
        .object(members.compactMap { name, value in value.map { Member(name, $0) } })
    }

    /// The members in alphabetical order of their names.
    package static func object(sorted members: [String: JSON]) -> JSON {
        .object(members.sorted { $0.key < $1.key }.map { Member($0.key, $0.value) })
    }

    /// The member of an object; nil if it is not there or null.
    public subscript(_ name: String) -> JSON? {
        guard case .object(let members) = self, let value = members.first(where: { $0.name == name })?.value,
            value != .null
        else {
            return nil
        }
        return value
    }

    public var text: String? { if case .text(let text) = self { text } else { nil } }
    public var list: [JSON]? { if case .list(let list) = self { list } else { nil } }
    public var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
    public var integer: Int? { if case .number(let digits) = self { Int(digits) } else { nil } }
}

extension JSON: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch self {
        case .null: "null"
        case .flag: "a truth value"
        case .number: "a number"
        case .text, .secret: "a text"
        case .list(let list): "a list of \(list.count)"
        case .object(let members): "an object of \(members.count)"
        }
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension JSON {
    /// In UTF-8, without white space. Memory has no other copy, so a caller that wipes it has wiped
    /// its secrets.
    public var document: [UInt8] {
        var bytes: [UInt8] = []
        // So that the array does not move while it grows, and leaves no copy behind.
        bytes.reserveCapacity(largestCount)
        write(to: &bytes, indent: nil)
        return bytes
    }

    /// For people: indented, with the members of each object in alphabetical order, and with a line
    /// feed at the end.
    package var formatted: String {
        var bytes: [UInt8] = []
        write(to: &bytes, indent: 0)
        return String(decoding: bytes, as: UTF8.self) + "\n"
    }

    /// As many bytes as the document has at the most.
    private var largestCount: Int {
        switch self {
        case .null, .flag: 5
        case .number(let digits): digits.utf8.count
        case .text(let text): Self.largestCount(ofText: text.utf8.count)
        case .secret(let text): Self.largestCount(ofText: text.count)
        case .list(let list): list.reduce(2) { $0 + $1.largestCount + 1 }
        case .object(let members):
            members.reduce(2) { $0 + Self.largestCount(ofText: $1.name.utf8.count) + $1.value.largestCount + 2 }
        }
    }

    /// Every byte may be written as `\u00xx`.
    private static func largestCount(ofText count: Int) -> Int { 2 + 6 * count }

    /// - Parameter indent: The level of the line that the value begins in; nil for a document
    ///   without white space.
    private func write(to bytes: inout [UInt8], indent: Int?) {
        switch self {
        case .null: bytes += "null".utf8
        case .flag(let flag): bytes += (flag ? "true" : "false").utf8
        case .number(let digits): bytes += digits.utf8
        case .text(let text): Self.quote(text, to: &bytes)
        case .secret(let text):
            bytes += "\"".utf8
            text.withBytes { text in
                for index in text.indices { Self.escape(text[index], to: &bytes) }
            }
            bytes += "\"".utf8
        case .list(let list):
            Self.write(list, between: ("[", "]"), to: &bytes, indent) { value, bytes, indent in
                value.write(to: &bytes, indent: indent)
            }
        case .object(let members):
            let ordered = indent == nil ? members : members.sorted { $0.name < $1.name }
            Self.write(ordered, between: ("{", "}"), to: &bytes, indent) { member, bytes, indent in
                Self.quote(member.name, to: &bytes)
                bytes += (indent == nil ? ":" : " : ").utf8
                member.value.write(to: &bytes, indent: indent)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element], between brackets: (String, String), to bytes: inout [UInt8], _ indent: Int?,
        _ write: (Element, inout [UInt8], Int?) -> Void
    ) {
        func begin(_ level: Int?) {
            guard let level else { return }
            bytes += ("\n" + String(repeating: "  ", count: level)).utf8
        }
        bytes += brackets.0.utf8
        // ordered: levels are counted from zero, and nest at most as deeply as memory does
        let inner = indent.map { $0 + 1 }
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes += ",".utf8 }
            begin(inner)
            write(element, &bytes, inner)
        }
        if !elements.isEmpty { begin(indent) }
        bytes += brackets.1.utf8
    }

    private static func quote(_ text: String, to bytes: inout [UInt8]) {
        bytes += "\"".utf8
        for byte in text.utf8 { escape(byte, to: &bytes) }
        bytes += "\"".utf8
    }

    private static func escape(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        case 0..<0x20:
            let digits = String(byte, radix: 16)
            bytes += ("\\u00" + (digits.count == 1 ? "0" : "") + digits).utf8
        default: bytes.append(byte)
        }
    }
}

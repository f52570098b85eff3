internal import Bytes

/// The fields of an HTML form in the order in which they were sent
/// (`application/x-www-form-urlencoded`: WHATWG URL, section 5).
///
/// Each name stands there once. Names are found without regard to case: gateways write them in
/// more than one way.
public struct FormFields: Sendable, Equatable {
    public struct Field: Sendable, Equatable {
        public let name: String
        public let value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public private(set) var all: [Field] = []

    /// In bytes, of a body.
    public static let maximumSize = 65_536
    /// Of a body.
    public static let maximumCount = 256

    public init() {}

    /// The fields in this order.
    ///
    /// - Throws: ``FormError/doubled`` if two names differ at most in case.
    public init(_ fields: [Field]) throws(FormError) {
        for field in fields {
            guard self[field.name] == nil else { throw .doubled }
            all.append(field)
        }
    }

    /// Adds a field at the end, or replaces the value of the one that has the name.
    public mutating func set(_ name: String, _ value: String) {
        if let place = place(of: name) {
            all[place] = Field(all[place].name, value)
        } else {
            all.append(Field(name, value))
        }
    }

    /// The value of the name; nil if no field has it.
    public subscript(_ name: String) -> String? { place(of: name).map { all[$0].value } }

    /// The fields without that of the name.
    public func without(_ name: String) -> FormFields {
        var rest = self
        if let place = place(of: name) { rest.all.remove(at: place) }
        return rest
    }

    private func place(of name: String) -> Int? {
        let wanted = name.lowercased()
        return all.firstIndex { $0.name.lowercased() == wanted }
    }
}

/// Why bytes are not the fields of a form. No case repeats them.
public enum FormError: Error, Sendable, Equatable {
    case tooLarge
    case tooManyFields
    case notUTF8
    /// A `%` without two hexadecimal digits, or a byte that forms percent-encode.
    case malformed
    /// A field without a name, or without `=`.
    case noName
    /// Two fields have the same name, without regard to case.
    case doubled
}

extension FormError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLarge: "the form has more than \(FormFields.maximumSize >> 10) KiB"
        case .tooManyFields: "the form has more than \(FormFields.maximumCount) fields"
        case .notUTF8: "the form is not UTF-8"
        case .malformed: "the form is not percent-encoded"
        case .noName: "a field of the form has no name"
        case .doubled: "a field of the form is there twice"
        }
    }
}

extension FormFields {
    /// The fields of a body.
    public init(parsing body: [UInt8]) throws(FormError) {
        guard body.count <= Self.maximumSize else { throw .tooLarge }
        var names: Set<String> = []
        guard !body.isEmpty else { return }
        for part in body.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            guard all.count < Self.maximumCount else { throw .tooManyFields }
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")), equals > part.startIndex else { throw .noName }
            let name = try Self.decode(part.prefix(upTo: equals))
            guard names.insert(name.lowercased()).inserted else { throw .doubled }
            all.append(Field(name, try Self.decode(part.suffix(from: equals).dropFirst())))
        }
    }

    private static func decode(_ text: ArraySlice<UInt8>) throws(FormError) -> String {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard let decoded = [UInt8](hexDigits: Array(rest.prefix(2)).span), decoded.count == 1 else {
                    throw .malformed
                }
                bytes += decoded
                rest = rest.dropFirst(2)
            case 0x21...0x7E: bytes.append(byte)
            default: throw .malformed
            }
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        return decoded
    }

    /// The fields as a body.
    public var body: [UInt8] {
        Array(all.map { "\(Self.encode($0.name))=\(Self.encode($0.value))" }.joined(separator: "&").utf8)
    }

    /// A text as forms have it: letters, digits and `*-._` stay, a space is `+`.
    public static func encode(_ text: String) -> String { encode(Array(text.utf8), keeping: "*-._") }

    /// Bytes percent-encoded: letters, digits and the characters of `kept` stay, a space is `+`.
    package static func encode(_ bytes: [UInt8], keeping kept: String) -> String {
        var encoded: [UInt8] = []
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                encoded.append(byte)
            case 0x20: encoded.append(UInt8(ascii: "+"))
            case _ where kept.utf8.contains(byte): encoded.append(byte)
            default: encoded += "%\([byte].hex)".utf8
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}

extension FormFields: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(all.count) fields" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

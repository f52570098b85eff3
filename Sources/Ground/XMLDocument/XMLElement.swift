public import Bytes

/// An element of an XML document: its children, or its text.
///
/// What messages of gateways need of XML 1.0, and no more: no document types, no processing
/// instructions, no namespaces, no mixed content.
public struct XMLElement: Sendable, Equatable {
    public var name: String
    public var attributes: [String: String]
    public var children: [XMLElement]
    /// Empty where there are children.
    public var text: String
    /// A text in UTF-8 that is wiped, in the place of ``text``. A parsed document has no such text.
    public var secret: SecretBytes?

    public init(_ name: String, attributes: [String: String] = [:], text: String = "") {
        self.name = name
        self.attributes = attributes
        self.text = text
        children = []
    }

    public init(_ name: String, children: [XMLElement]) {
        self.name = name
        self.children = children
        attributes = [:]
        text = ""
    }

    public init(_ name: String, secret: SecretBytes) {
        self.init(name)
        self.secret = secret
    }

    /// The document with this element as its root, in UTF-8. Characters that XML cannot have become
    /// spaces. Memory has no other copy, so a caller that wipes it has wiped its secrets.
    public var document: [UInt8] {
        let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>".utf8
        var bytes: [UInt8] = []
        // So that the array does not move while it grows, and leaves no copy behind.
        bytes.reserveCapacity(declaration.count + largestCount)
        bytes += declaration
        write(to: &bytes)
        return bytes
    }

    /// As many bytes as the element has at the most: a byte may be written as `&quot;`.
    private var largestCount: Int {
        let texts = attributes.reduce(text.utf8.count + (secret?.count ?? 0)) {
            $0 + $1.key.utf8.count + $1.value.utf8.count + 1
        }
        return 2 * name.utf8.count + 5 + 6 * texts + children.reduce(0) { $0 + $1.largestCount }
    }

    private func write(to bytes: inout [UInt8]) {
        bytes += "<\(name)".utf8
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            bytes += " \(name)=\"".utf8
            Self.escape(value, to: &bytes)
            bytes += "\"".utf8
        }
        bytes += ">".utf8
        Self.escape(text, to: &bytes)
        secret?.withBytes { text in
            for index in text.indices { Self.escape(text[index], to: &bytes) }
        }
        for child in children { child.write(to: &bytes) }
        bytes += "</\(name)>".utf8
    }

    private static func escape(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 { escape(byte, to: &bytes) }
    }

    private static func escape(_ byte: UInt8, to bytes: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "&"): bytes += "&amp;".utf8
        case UInt8(ascii: "<"): bytes += "&lt;".utf8
        case UInt8(ascii: ">"): bytes += "&gt;".utf8
        case UInt8(ascii: "\""): bytes += "&quot;".utf8
        case 0x09, 0x0A, 0x0D: bytes += "&#\(byte);".utf8
        case 0..<0x20: bytes.append(0x20)
        default: bytes.append(byte)
        }
    }
}

extension XMLElement: CustomStringConvertible, CustomReflectable {
    public var description: String { "<\(name)>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

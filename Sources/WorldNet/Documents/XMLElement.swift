/// An element of an XML document: its children, or its text.
///
/// What the gateway's messages need of XML 1.0, and no more: no document types, no processing instructions, no namespaces, no mixed content.
public struct XMLElement: Sendable, Equatable {
    public var name: String
    public var attributes: [String: String]
    public var children: [XMLElement]
    /// Empty where there are children.
    public var text: String

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

    /// The document with this element as its root, in UTF-8. Characters that XML cannot have become spaces.
    public var document: [UInt8] {
        var bytes = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>".utf8)
        write(to: &bytes)
        return bytes
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
        for child in children { child.write(to: &bytes) }
        bytes += "</\(name)>".utf8
    }

    private static func escape(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
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
}

extension XMLElement: CustomStringConvertible, CustomReflectable {
    public var description: String { "<\(name)>" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

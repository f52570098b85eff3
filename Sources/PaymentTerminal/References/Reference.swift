/// A text that names something in messages between application, terminal and host, and has rules of its own.
public protocol Reference: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The text as it goes into messages, receipts and the journal.
    var text: String { get }
    /// Checks the text, which stays as it is unless the type says otherwise.
    ///
    /// - Throws: ``ReferenceError`` if the text breaks the type's rules.
    init(_ text: String) throws(ReferenceError)
}

extension Reference {
    public var description: String { text }

    /// As a plain text; one that breaks the rules does not decode.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// A text that identifies something in messages between application, terminal and host, with its
/// own rules.
public protocol Reference: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The text for messages, receipts and the journal.
    var text: String { get }
    /// Checks the text, which is not changed unless the type says otherwise.
    ///
    /// - Throws: ``ReferenceError`` if the text breaks the type's rules.
    init(_ text: String) throws(ReferenceError)
}

extension Reference {
    public var description: String { text }

    /// From a plain text; an invalid one does not decode.
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

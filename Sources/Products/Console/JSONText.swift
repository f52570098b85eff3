private import FoundationEssentials

/// The JSON documents of commands: one object, indented, with sorted keys and the version of its
/// format (docs/json.md).
public enum JSONText {
    /// The version of every format.
    public static let version = 1

    /// - Parameter document: an object without a key `version`.
    public static func of(_ document: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(Versioned(document: document)), as: UTF8.self)
    }

    private struct Versioned<Document: Encodable>: Encodable {
        let document: Document

        private enum CodingKeys: String, CodingKey { case version }

        func encode(to encoder: any Encoder) throws {
            try document.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(JSONText.version, forKey: .version)
        }
    }
}

private import FoundationEssentials
public import JSONDocument

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

    /// Prints a document that has its version.
    public static func show(_ document: JSON) { print(document.formatted, terminator: "") }

    /// Prints an object of these members, those without a value left out.
    public static func show(_ members: KeyValuePairs<String, JSON?>) {
        guard case .object(let present) = JSON.object(members) else { return }
        show(.object([JSON.Member("version", .number(version))] + present))
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

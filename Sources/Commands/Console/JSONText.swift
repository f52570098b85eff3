private import FoundationEssentials

/// Documents as commands print them: indented, with sorted keys.
public enum JSONText {
    public static func of(_ document: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(document), as: UTF8.self)
    }
}

public import EMVExplanation
import FoundationEssentials

extension ExplanationComparison {
    /// As one JSON document; the names are those of the comparison's own parts.
    public func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

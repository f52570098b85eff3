import Console
public import EMVExplanation

extension Explanation {
    /// As one JSON document; the names are those of the explanation's properties.
    public func json() throws -> String {
        return try JSONText.of(self)
    }
}

extension ExplanationComparison {
    /// As one JSON document; the names are those of the comparison's properties.
    public func json() throws -> String {
        return try JSONText.of(self)
    }
}

/// A value that has no reference but a limit.
public struct Figure: Codable, Sendable {
    public let name: String
    public let value: Double
    public let unit: String
    /// The highest value that passes.
    public let limit: Double

    public init(_ name: String, value: Double, unit: String, limit: Double) {
        self.name = name
        self.value = value
        self.unit = unit
        self.limit = limit
    }
}

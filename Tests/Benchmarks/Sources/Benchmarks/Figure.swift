/// A value that has no reference but a limit.
struct Figure {
    let name: String
    let value: Double
    let unit: String
    /// The highest value that passes.
    let limit: Double

    init(_ name: String, value: Double, unit: String, limit: Double) {
        self.name = name
        self.value = value
        self.unit = unit
        self.limit = limit
    }
}

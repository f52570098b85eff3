/// The description of a value that is too short or too long for its data object.
enum WrongLength {
    /// - Parameter lengths: The lengths that are right, in bytes: `1`, `5`, `2 to 5`.
    static func line(_ lengths: String) -> String { "not \(lengths) \(lengths == "1" ? "byte" : "bytes") long" }

    /// Whether `line` is such a description.
    static func isNamed(in line: String) -> Bool {
        line.hasPrefix("not ") && (line.hasSuffix(" byte long") || line.hasSuffix(" bytes long"))
    }
}

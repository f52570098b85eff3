/// The description of a value that is too short or too long for its data object.
package enum WrongLength {
    /// - Parameter lengths: The lengths that are right, in bytes: `1`, `5`, `2 to 5`.
    static func line(_ lengths: String) -> String { "not \(lengths) \(lengths == "1" ? "byte" : "bytes") long" }

    /// Whether `lines` describe such a value.
    package static func isNamed(in lines: [String]) -> Bool {
        lines.contains { $0.hasPrefix("not ") && ($0.hasSuffix(" byte long") || $0.hasSuffix(" bytes long")) }
    }
}

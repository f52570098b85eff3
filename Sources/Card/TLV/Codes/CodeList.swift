/// A code list as text, one row for each code: three digits, a space, the meaning.
struct CodeList: Sendable {
    private let rows: [UInt64: Substring]

    init(_ text: String) {
        var rows: [UInt64: Substring] = [:]
        for row in text.split(separator: "\n") {
            if let number = UInt64(row.prefix(3)), rows[number] == nil { rows[number] = row.dropFirst(4) }
        }
        self.rows = rows
    }

    /// The text after `number`.
    func row(_ number: UInt64) -> Substring? { rows[number] }
}

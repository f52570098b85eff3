/// Code lists as text, a row a code: three digits, a space, what the code stands for.
enum CodeList {
    /// What stands behind `number` in `list`.
    static func row(_ number: UInt64, in list: String) -> Substring? {
        guard number < 1000 else { return nil }
        let digits = String(1000 + number).dropFirst() + " "
        return list.split(separator: "\n").first { $0.hasPrefix(digits) }?.dropFirst(4)
    }
}

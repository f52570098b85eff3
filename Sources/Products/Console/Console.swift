#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The output of the commands: colored on a terminal, plain in a pipe or with NO_COLOR set
/// (no-color.org).
public struct Console: Sendable {
    public enum Color: String, Sendable {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case cyan = "36"
    }

    private let isColored: Bool

    public init() {
        let isTerminal = isatty(STDOUT_FILENO) == 1
        let refuses = unsafe getenv("NO_COLOR").map { unsafe $0.pointee != 0 } ?? false
        isColored = isTerminal && !refuses
    }

    /// `text` in `color` if colors are shown.
    public func paint(_ text: String, _ color: Color) -> String {
        isColored ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
    }

    public func heading(_ text: String) { print("\n" + paint(text, .bold)) }

    /// Prints a line with the subject of a check, its result and its details.
    public func check(_ isGood: Bool, _ subject: String, detail: String) {
        let mark = isGood ? paint("✓", .green) : paint("✗", .red)
        print("  \(mark) \(padded(subject, 34)) \(detail)")
    }

    /// Prints a line about something that is not a failure but may be missing.
    public func remark(_ subject: String, _ detail: String) {
        print("  \(paint("-", .yellow)) \(padded(subject, 34)) \(detail)")
    }

    public func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    /// Columns under their names, each as wide as its widest entry up to 60 characters; nothing if
    /// there are no rows.
    public func table(_ names: [String], _ rows: [[String]]) {
        guard !rows.isEmpty else { return }
        let widths = names.indices.map { column in
            min(60, (rows.map { $0[column].count } + [names[column].count]).max() ?? 0)
        }
        func line(_ cells: [String]) -> String {
            let text = zip(cells, widths).map { padded($0, $1) }.joined(separator: "  ")
            return String(text.reversed().drop { $0 == " " }.reversed())
        }
        print(paint(line(names), .bold))
        for row in rows { print(line(row)) }
    }
}

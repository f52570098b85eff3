/// The width of text in columns of a terminal: East Asian wide characters and emoji have two,
/// combining marks none (Unicode Standard Annex #11).
public enum DisplayWidth {
    public static func of(_ text: String) -> Int { text.reduce(0) { $0 + of($1) } }

    public static func of(_ character: Character) -> Int { character.unicodeScalars.reduce(0) { max($0, of($1)) } }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        return scalar.properties.isEmojiPresentation || wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// `text` in exactly `width` columns: truncated with `…`, or padded with spaces. Control
    /// characters are removed.
    public static func fitted(_ text: String, _ width: Int) -> String {
        let shown = text.filter { !$0.unicodeScalars.contains { $0.properties.generalCategory == .control } }
        let needed = of(shown)
        guard needed > width else { return shown + String(repeating: " ", count: width - needed) }
        guard width > 0 else { return "" }
        var (result, used) = ("", 0)
        for character in shown {
            let columns = of(character)
            guard used + columns < width else { break }
            result.append(character)
            used += columns
        }
        return result + "…" + String(repeating: " ", count: width - used - 1)
    }

    /// The blocks whose characters are wide or fullwidth.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F,
        0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
        0x1F900...0x1F9FF,
        0x20000...0x3FFFD,
    ]
}

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// One line on standard error that is drawn again and again while a command waits. Without a
/// terminal, lines one after the other.
public enum LiveLine {
    /// Whether standard error can be drawn on.
    public static var isAvailable: Bool {
        let kind = unsafe getenv("TERM").map { unsafe String(cString: $0) }
        return isatty(STDERR_FILENO) == 1 && kind != nil && kind != "dumb"
    }

    /// Replaces the line.
    ///
    /// - Parameter rings: Whether the terminal's bell sounds.
    public static func draw(_ text: String, rings: Bool = false) {
        write("\r\(text)\u{1B}[K" + (rings ? "\u{07}" : ""))
    }

    /// Leaves the line as it is; the next output begins below it.
    public static func end() { write("\n") }

    /// Writes a whole line, without drawing.
    public static func tell(_ text: String) { write(text + "\n") }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe systemWrite(STDERR_FILENO, bytes, bytes.count)
    }
}

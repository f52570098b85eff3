private import Synchronization

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// A progress bar on standard error, if standard error is a terminal; nothing otherwise.
public final class Progress: Sendable {
    private struct State {
        var done = 0
        var lastDrawn: ContinuousClock.Instant?
    }

    private let total: Int
    private let isShown: Bool
    private let state = Mutex(State())

    private static let width = 40
    private static let interval = Duration.milliseconds(100)

    public init(total: Int) {
        self.total = total
        isShown = isatty(STDERR_FILENO) == 1
    }

    /// Counts one more completed part.
    public func advance() {
        guard isShown else { return }
        state.withLock { state in
            state.done += 1
            let now = ContinuousClock.now
            if let last = state.lastDrawn, last.duration(to: now) < Self.interval { return }
            state.lastDrawn = now
            let filled = total > 0 ? Self.width * state.done / total : Self.width
            let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
            Self.write("\r[\(bar)] \(state.done) of \(total)")
        }
    }

    /// Removes the bar.
    public func end() {
        guard isShown else { return }
        state.withLock { state in
            if state.lastDrawn != nil { Self.write("\r\u{1B}[K") }
        }
    }

    /// Prints a line about what the command waits for, if standard error is a terminal.
    public static func note(_ text: String) {
        if isatty(STDERR_FILENO) == 1 { write(text + "\n") }
    }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe systemWrite(STDERR_FILENO, bytes, bytes.count)
    }
}

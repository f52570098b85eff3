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
        var total = 0
        var lastDrawn: ContinuousClock.Instant?
    }

    private let isShown: Bool
    private let state: Mutex<State>

    private static let width = 40
    private static let interval = Duration.milliseconds(100)

    /// - Parameter total: Of the parts; 0 if ``show(_:of:)`` tells it.
    public init(total: Int = 0) {
        state = Mutex(State(total: total))
        isShown = isatty(STDERR_FILENO) == 1
    }

    /// Counts one more completed part.
    public func advance() {
        guard isShown else { return }
        state.withLock { state in
            state.done += 1
            Self.draw(&state)
        }
    }

    /// Tells how many parts are completed, of how many.
    public func show(_ done: Int, of total: Int) {
        guard isShown else { return }
        state.withLock { state in
            (state.done, state.total) = (done, total)
            Self.draw(&state)
        }
    }

    private static func draw(_ state: inout State) {
        let now = ContinuousClock.now
        if let last = state.lastDrawn, last.duration(to: now) < interval { return }
        state.lastDrawn = now
        let filled = state.total > 0 ? width * min(state.done, state.total) / state.total : width
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        write("\r[\(bar)] \(state.done) of \(state.total)")
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

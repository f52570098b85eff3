private import Synchronization

#if canImport(Glibc)
    @unsafe @preconcurrency private import Glibc
#elseif canImport(Musl)
    @unsafe @preconcurrency private import Musl
#endif

/// The whole terminal, redrawn continuously: the alternate screen, without cursor, so that the
/// previous content is restored afterwards.
///
/// The sequences are those of xterm, which all current terminals support (XTerm Control Sequences:
/// DECSET 7, 25 and 1049). A frame is one write, and each line overwrites the old one, so that
/// nothing flickers. Keys are not echoed, and input is discarded.
public final class LiveScreen: Sendable {
    private struct State {
        var isOn = false
        var drawn: [String] = []
        var keyboard: termios?
    }

    private let state = Mutex(State())

    private static let begin = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
    private static let end = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    public init() {}

    /// Whether standard output can be drawn on.
    public static var isAvailable: Bool {
        let kind = unsafe getenv("TERM").map { unsafe String(cString: $0) }
        return isatty(STDOUT_FILENO) == 1 && kind != nil && kind != "dumb"
    }

    /// Columns and lines; 80 by 24 if the terminal does not report them.
    public static var size: (width: Int, height: Int) {
        var size = winsize()
        // fits: a constant of the system
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    public func enter() {
        state.withLock { state in
            guard !state.isOn else { return }
            state.isOn = true
            state.drawn = []
            var keyboard = termios()
            if unsafe tcgetattr(STDIN_FILENO, &keyboard) == 0 {
                state.keyboard = keyboard
                // fits: a constant of the system
                keyboard.c_lflag &= ~tcflag_t(ECHO)
                _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &keyboard)
            }
            Self.write(Self.begin)
        }
    }

    /// Restores the screen. Call it on every exit path; a second call has no effect.
    public func leave() {
        state.withLock { state in
            guard state.isOn else { return }
            state.isOn = false
            Self.write(Self.end)
            if var keyboard = state.keyboard { _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &keyboard) }
        }
    }

    /// Draws the lines from the top of the screen; each must have the width of the screen.
    ///
    /// - Parameter redrawsAll: draws every line, even those that have not changed. For a screen of
    ///   a new size.
    public func draw(_ lines: [String], redrawsAll: Bool = false) {
        state.withLock { state in
            guard state.isOn, redrawsAll || lines != state.drawn else { return }
            var frame = redrawsAll ? "\u{1B}[2J" : ""
            for (index, line) in lines.enumerated()
            where redrawsAll || index >= state.drawn.count || state.drawn[index] != line {
                frame += "\u{1B}[\(index + 1);1H\(line)\u{1B}[0m"
            }
            if !redrawsAll, lines.count < state.drawn.count { frame += "\u{1B}[\(lines.count + 1);1H\u{1B}[J" }
            state.drawn = lines
            Self.write(frame)
        }
    }

    private static func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
        }
    }
}

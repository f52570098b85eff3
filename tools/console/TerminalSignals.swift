@unsafe @preconcurrency internal import Dispatch

#if canImport(Glibc)
    @unsafe @preconcurrency private import Glibc
#elseif canImport(Musl)
    @unsafe @preconcurrency private import Musl
#endif

/// The signals that concern whoever draws on a terminal, as they come.
public final class TerminalSignals: Sendable {
    public enum Signal: Sendable {
        /// SIGINT, SIGTERM or SIGHUP, its number: the process is to end.
        case end(Int32)
        /// SIGTSTP: the process is to stop, as Ctrl-Z wants.
        case stop
        /// SIGCONT: it goes on.
        case goOn
        /// SIGWINCH: the terminal has another size.
        case resized
    }

    public let signals: AsyncStream<Signal>
    private let sources: [any DispatchSourceSignal]

    private static let caught: [(Int32, Signal)] = [
        (SIGINT, .end(SIGINT)), (SIGTERM, .end(SIGTERM)), (SIGHUP, .end(SIGHUP)), (SIGTSTP, .stop), (SIGCONT, .goOn), (SIGWINCH, .resized),
    ]

    /// From here on they do nothing else than to be told of.
    public init() {
        let (signals, continuation) = AsyncStream<Signal>.makeStream()
        self.signals = signals
        sources = Self.caught.map { number, meaning in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield(meaning) }
            source.resume()
            return source
        }
    }

    /// Ends the process as the signal would have, so that whoever started it sees what ended it.
    public static func end(_ number: Int32) {
        signal(number, SIG_DFL)
        kill(getpid(), number)
    }

    /// Stops the process until it is told to go on.
    ///
    /// By SIGSTOP: SIGTSTP does nothing in a process group that no shell looks after.
    public static func stop() { kill(getpid(), SIGSTOP) }
}

@unsafe @preconcurrency internal import Dispatch

#if canImport(Glibc)
    @unsafe @preconcurrency private import Glibc
#elseif canImport(Musl)
    @unsafe @preconcurrency private import Musl
#endif

/// The signals that concern a program that draws on a terminal, as they arrive.
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
    private let source: any DispatchSourceRead

    private static let caught: [(Int32, Signal)] = [
        (SIGINT, .end(SIGINT)), (SIGTERM, .end(SIGTERM)), (SIGHUP, .end(SIGHUP)), (SIGTSTP, .stop), (SIGCONT, .goOn), (SIGWINCH, .resized),
    ]

    /// Into which the handler writes the numbers. There is one, as there is one handler a process; unsafe, because a handler may take no lock. It is written before
    /// the handler stands.
    private nonisolated(unsafe) static var pipeEnd: Int32 = -1

    /// From here on the signals have no effect of their own: they are only reported.
    ///
    /// By a handler and a pipe of our own: a dispatch source for signals takes effect some time after it is resumed, and until then they are lost; and it takes signals
    /// away that the process sends to itself.
    ///
    /// - Throws: What the system says when no pipe can be made.
    public init() throws(InputError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw InputError("no pipe for signals: \(SystemError.last)") }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        unsafe Self.pipeEnd = ends[1]
        let (signals, continuation) = AsyncStream<Signal>.makeStream()
        self.signals = signals
        let reading = ends[0]
        source = DispatchSource.makeReadSource(fileDescriptor: reading)
        source.setEventHandler {
            var number: UInt8 = 0
            while unsafe read(reading, &number, 1) == 1 {
                if let (_, meaning) = Self.caught.first(where: { $0.0 == Int32(number) }) { continuation.yield(meaning) }
            }
        }
        source.resume()
        for (number, _) in Self.caught {
            signal(number) { number in
                let before = errno
                var byte = UInt8(truncatingIfNeeded: number)
                _ = unsafe write(TerminalSignals.pipeEnd, &byte, 1)
                errno = before
            }
        }
    }

    /// Ends the process by the signal, so that the parent process sees which signal ended it.
    public static func end(_ number: Int32) -> Never {
        signal(number, SIG_DFL)
        // Here and now, and not at some time on some thread: those of a pool have all signals blocked.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
        exit(128 + number)
    }

    /// Stops the process until it receives SIGCONT.
    ///
    /// By SIGSTOP: SIGTSTP does nothing in a process group that no shell looks after.
    public static func stop() { raise(SIGSTOP) }
}

@unsafe @preconcurrency internal import Dispatch

#if canImport(Glibc)
    @unsafe @preconcurrency private import Glibc
#elseif canImport(Musl)
    @unsafe @preconcurrency private import Musl
#endif

/// The signals for a program that draws on a terminal.
public final class TerminalSignals: Sendable {
    public enum Signal: Sendable {
        /// SIGINT, SIGTERM or SIGHUP, by number: the process must end.
        case end(Int32)
        /// SIGTSTP (Ctrl-Z): the process must stop.
        case stop
        /// SIGCONT: the process continues.
        case resumed
        /// SIGWINCH: the size of the terminal has changed.
        case resized
    }

    public let signals: AsyncStream<Signal>
    private let source: any DispatchSourceRead

    private static let caught: [(Int32, Signal)] = [
        (SIGINT, .end(SIGINT)), (SIGTERM, .end(SIGTERM)), (SIGHUP, .end(SIGHUP)), (SIGTSTP, .stop), (SIGCONT, .resumed),
        (SIGWINCH, .resized),
    ]

    /// The handler writes the numbers to this descriptor. There is one, because a process has one
    /// handler; unsafe, because a handler must not take locks. It is set before the handler is
    /// installed.
    private nonisolated(unsafe) static var pipeEnd: Int32 = -1

    /// From here on, the signals have no default effect: they are only reported.
    ///
    /// It uses its own handler and pipe: a dispatch source for signals takes effect some time after
    /// it is resumed, and signals before that are lost. It also swallows signals that the process
    /// sends to itself.
    ///
    /// - Throws: The system's error if no pipe can be created.
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
                if let (_, meaning) = Self.caught.first(where: { $0.0 == Int32(number) }) {
                    continuation.yield(meaning)
                }
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
        // Immediately, on this thread: the threads of a pool have all signals blocked.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(number)
        exit(128 + number)
    }

    /// Stops the process until it receives SIGCONT.
    ///
    /// With SIGSTOP, because SIGTSTP has no effect in an orphaned process group.
    public static func stop() { raise(SIGSTOP) }
}

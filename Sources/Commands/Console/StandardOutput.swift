#if canImport(Glibc)
    @unsafe @preconcurrency private import Glibc
#elseif canImport(Musl)
    @unsafe @preconcurrency private import Musl
#endif

/// What `print` does not tell: whether its text arrived.
public enum StandardOutput {
    /// Makes the process fail, with a line on standard error, if its output could not be written. To be called first.
    ///
    /// A reader that has gone, as in `cardpresent demo | head`, does not kill the process: what it has begun it ends and tidies up.
    public static func failsLoudly() {
        signal(SIGPIPE, SIG_IGN)
        atexit {
            let isWritten = unsafe fflush(stdout) == 0 && ferror(stdout) == 0
            guard !isWritten else { return }
            if errno != EPIPE { printError("standard output: \(SystemError.last)") }
            _exit(ExitStatus.failure)
        }
    }

    /// Writes a line at once, into files and pipes too. It does not touch other streams: another
    /// thread may hold the lock of one of them.
    public static func tell(_ line: String) {
        print(line)
        _ = unsafe fflush(stdout)
    }
}

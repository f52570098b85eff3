#if canImport(Glibc)
    @unsafe @preconcurrency private import Glibc
#elseif canImport(Musl)
    @unsafe @preconcurrency private import Musl
#endif

/// Detects failed writes to standard output, which `print` does not report.
public enum StandardOutput {
    /// Makes the process fail, with a line on standard error, if its output could not be written.
    /// Call it first.
    ///
    /// A closed pipe, as in `cardpresent demo | head`, does not kill the process: it completes its
    /// work and cleans up.
    public static func failsLoudly() {
        signal(SIGPIPE, SIG_IGN)
        atexit {
            let isWritten = unsafe fflush(stdout) == 0 && ferror(stdout) == 0
            guard !isWritten else { return }
            if errno != EPIPE { printError("standard output: \(SystemError.last)") }
            _exit(ExitStatus.failure)
        }
    }

    /// Writes a line at once, also to files and pipes. It does not use other streams, because
    /// another thread may hold the lock of one.
    public static func tell(_ line: String) {
        print(line)
        _ = unsafe fflush(stdout)
    }
}

#if canImport(Glibc)
    @unsafe @preconcurrency private import Glibc
#elseif canImport(Musl)
    @unsafe @preconcurrency private import Musl
#endif

/// What `print` does not tell: whether its text arrived.
public enum StandardOutput {
    /// Makes the process fail, with a line on standard error, if its output could not be written. To be called first.
    public static func failsLoudly() {
        atexit {
            let isWritten = unsafe fflush(stdout) == 0 && ferror(stdout) == 0
            guard !isWritten else { return }
            printError("standard output: \(SystemError.last)")
            _exit(ExitStatus.failure)
        }
    }
}

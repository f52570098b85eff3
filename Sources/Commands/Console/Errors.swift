#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// One line on standard error.
public func printError(_ message: String) {
    var line = Array("cardpresent: \(message)\n".utf8)
    _ = unsafe write(STDERR_FILENO, &line, line.count)
}

private import TLV

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// One line on standard error, without card numbers and without characters that steer a terminal:
/// messages quote paths, keys of files and texts of devices.
public func printError(_ message: String) {
    var line = Array("cardpresent: \(Masking.text(message))\n".utf8)
    _ = unsafe write(STDERR_FILENO, &line, line.count)
}

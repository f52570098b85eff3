import ArgumentParser
import Console
import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An executable in the same folder as this one.
enum Sibling: String {
    case bench = "cardpresent-bench"
    case readers = "cardpresent-readers"
    case host = "cardpresent-host"

    /// Replaces this process by it.
    func replaceProcess(_ command: String, _ arguments: [String]) throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(filePath: own).deletingLastPathComponent().appending(path: rawValue).path(percentEncoded: false)
        var pointers = unsafe ([path, command] + arguments).map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        unsafe execv(path, pointers)
        unsafe printError(
            "cannot start \(path): \(String(cString: strerror(errno))). Build it with: swift build --product \(rawValue)")
        throw ExitCode(ExitStatus.failure)
    }
}

import ArgumentParser
import Console
import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The commands that need the bench host and its database live in an executable of their own, `cardpresent-bench`, so that `decode` and `replay`
/// start without loading it (docs/performance.md has the figures).
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Sell, keep a card, charge it by its token, and check captured logs. No hardware, no network.",
        discussion: "cardpresent demo --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
    func run() throws { try BenchExecutable.replaceProcess("demo", arguments) }
}

struct SaleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sale", abstract: "Sell with the virtual card, or by the token of a secure card.",
        discussion: "cardpresent sale --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
    func run() throws { try BenchExecutable.replaceProcess("sale", arguments) }
}

struct SecureCardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secure-card", abstract: "Register, show, edit and delete secure cards in a vault.",
        discussion: "cardpresent secure-card --help shows what it can do.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
    func run() throws { try BenchExecutable.replaceProcess("secure-card", arguments) }
}

enum BenchExecutable {
    /// Runs `cardpresent-bench`, which stands beside this executable, in the place of this process.
    static func replaceProcess(_ command: String, _ arguments: [String]) throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = URL(filePath: own).deletingLastPathComponent().appending(path: "cardpresent-bench").path(percentEncoded: false)
        var pointers = unsafe ([path, command] + arguments).map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        unsafe execv(path, pointers)
        unsafe printError(
            "cannot start \(path): \(String(cString: strerror(errno))). Build it with: swift build --product cardpresent-bench")
        throw ExitCode(ExitStatus.failure)
    }
}

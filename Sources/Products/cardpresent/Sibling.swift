import ArgumentParser
import Console
import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The executable of the commands that need devices, a database, or the network. It is in the same
/// folder as this one.
enum Sibling {
    private static let name = "cardpresent-bench"

    private static var path: String {
        get throws {
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(filePath: own).deletingLastPathComponent().appending(path: name).path(percentEncoded: false)
        }
    }

    /// Replaces this process by it.
    static func replaceProcess(_ arguments: [String]) throws {
        let path = try path
        var pointers = unsafe ([path] + arguments).map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        unsafe execv(path, pointers)
        unsafe printError(
            "cannot start \(path): \(String(cString: strerror(errno))). Build it with: swift build --product \(name)"
        )
        throw ExitCode(ExitStatus.failure)
    }

    /// What it prints when it runs with `arguments`, which are words without characters of the
    /// shell.
    ///
    /// - Throws: `InputError` if it cannot be run.
    static func output(_ arguments: [String]) throws -> String {
        let path = try path
        let quoted = "'" + path.replacing("'", with: "'\\''") + "'"
        guard let pipe = unsafe popen("exec \(quoted) \(arguments.joined(separator: " "))", "re") else {
            throw InputError(unsafe "\(path) cannot be run: \(String(cString: strerror(errno)))")
        }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe fread(&piece, 1, piece.count, pipe)
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        guard unsafe pclose(pipe) == 0 else {
            throw InputError("\(path) cannot be run: build it with: swift build --product \(name)")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A command that the sibling executes.
protocol SiblingCommand: ParsableCommand {
    /// The names of the command and of those that it is a subcommand of, without `cardpresent`.
    static var path: [String] { get }
    /// Those behind the name.
    var arguments: [String] { get }
}

extension SiblingCommand {
    static var path: [String] { [_commandName] }

    func run() throws { try Sibling.replaceProcess(Self.path + arguments) }
}

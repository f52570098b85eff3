import Foundation
import Glibc
import Testing

/// What one run of a command left behind.
struct Run: Sendable {
    let status: Int32
    /// The signal that ended it instead of an exit.
    let wasKilled: Bool
    let output: String
    let errors: String

    /// What a tap showed to the cardholder on standard error.
    var display: [String] { errors.split(separator: "\n").map(String.init).filter { $0.hasPrefix("[") } }

    /// What it said on standard error, if that is one line in the form of all commands, below what
    /// a tap showed.
    var complaint: String? {
        let errors = errors.split(separator: "\n", omittingEmptySubsequences: false).drop { $0.hasPrefix("[") }.joined(
            separator: "\n")
        guard errors.hasPrefix("cardpresent: "), errors.hasSuffix("\n"), errors.count(where: \.isNewline) == 1 else {
            return nil
        }
        return String(errors.dropFirst("cardpresent: ".count).dropLast())
    }
}

/// Where the executables lie: beside the running test bundle.
enum Executables {
    static let folder: URL = {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")).map {
            URL(filePath: $0)
        }
        let candidates = [own, URL(filePath: CommandLine.arguments[0])].compactMap { $0?.deletingLastPathComponent() }
        return candidates.first { FileManager.default.isExecutableFile(atPath: path("cardpresent", in: $0)) }
            ?? candidates[0]
    }()
    static let cardpresent = path("cardpresent", in: folder)

    static func path(_ name: String) -> String { path(name, in: folder) }

    private static func path(_ name: String, in folder: URL) -> String {
        folder.appending(path: name).path(percentEncoded: false)
    }
}

struct TooSlow: Error, CustomStringConvertible {
    let description: String
}

extension Workspace {
    /// Runs `cardpresent` with `arguments`, in this folder.
    func run(
        _ arguments: String..., input: String? = nil, environment: [String: String?] = [:], output: FileHandle? = nil,
        started: (@Sendable (pid_t) -> Void)? = nil
    ) async throws -> Run {
        try await run(
            Executables.cardpresent, arguments, input: input, environment: environment, output: output, started: started
        )
    }

    /// The object that a run of `cardpresent` with `arguments` prints; a failure, and one without a
    /// version, are recorded.
    func document(_ arguments: String...) async throws -> [String: Any] {
        let run = try await run(Executables.cardpresent, arguments)
        #expect(run.status == 0, "\(run.errors)")
        let document = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        #expect(document["version"] as? Int == 1)
        return document
    }

    /// Runs `cardpresent` by a shell that first does `preparation`.
    func runInShell(_ preparation: String, _ arguments: String...) async throws -> Run {
        try await run("/bin/sh", ["-c", "\(preparation); exec \"$@\"", "sh", Executables.cardpresent] + arguments)
    }

    /// - Parameters:
    ///   - environment: What differs from the usual; nil takes a variable away.
    ///   - output: Where standard output goes; nil to have it in the result.
    ///   - started: Receives the process that runs.
    func run(
        _ executable: String, _ arguments: [String], input: String? = nil, environment: [String: String?] = [:],
        output: FileHandle? = nil, started: (@Sendable (pid_t) -> Void)? = nil, limit: Duration = .seconds(60)
    ) async throws -> Run {
        // Files take any amount of output without anyone reading.
        let scratch = "run-\(UUID().uuidString)"
        let files = (output: try file("\(scratch).out", ""), errors: try file("\(scratch).err", ""))
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        var variables = ProcessInfo.processInfo.environment
        variables["NO_COLOR"] = nil
        variables["TERM"] = "xterm"
        variables["TMPDIR"] = folder.path(percentEncoded: false)
        variables["CARDPRESENT_VECTORS"] = Vectors.folder.path(percentEncoded: false)
        for (name, value) in environment { variables[name] = value }
        process.environment = variables
        // Process does not close them, and its way of looking through open files fails where there
        // are very many.
        var handles: [FileHandle] = []
        defer { for handle in handles { try? handle.close() } }
        func open(_ handle: FileHandle) -> FileHandle {
            handles.append(handle)
            return handle
        }
        process.standardInput =
            try input.map { try open(FileHandle(forReadingFrom: URL(filePath: file("\(scratch).in", $0)))) }
            ?? FileHandle.nullDevice
        process.standardOutput = try output ?? open(FileHandle(forWritingTo: URL(filePath: files.output)))
        process.standardError = try open(FileHandle(forWritingTo: URL(filePath: files.errors)))

        let watchdog = Task {
            try await Task.sleep(for: limit)
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
            return true
        }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.run()
                started?(process.processIdentifier)
            } catch {
                continuation.resume(throwing: error)
            }
        }
        watchdog.cancel()
        if (try? await watchdog.value) == true { throw TooSlow(description: "\(arguments) took more than \(limit)") }
        return Run(
            status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal,
            output: try text("\(scratch).out"), errors: try text("\(scratch).err"))
    }
}

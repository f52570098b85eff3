import Foundation

/// One run of `crash-lane`, and its end.
struct Lane {
    let scenario: String
    let folder: String
    let output: String
    let wasKilled: Bool

    static func run(
        _ scenario: String, point: Int, command: String = "run", environment: [String: String] = [:]
    ) async throws -> Lane {
        let folder = newFolder()
        let (output, wasKilled, _) = try await launch([command, folder, scenario, "\(point)"], environment)
        return Lane(scenario: scenario, folder: folder, output: output, wasKilled: wasKilled)
    }

    private static func newFolder() -> String {
        FileManager.default.temporaryDirectory.appending(path: "crash-\(UUID().uuidString)").path(percentEncoded: false)
    }

    /// How many moments there are to be killed at.
    var points: Int? { value("points").flatMap { Int($0) } }

    func value(_ name: String) -> String? { Self.value(name, output) }

    private static func value(_ name: String, _ output: String) -> String? {
        output.split(separator: "\n").first { $0.hasPrefix("\(name) ") }.map { String($0.dropFirst(name.count + 1)) }
    }

    /// What another process finds wrong; the folder goes with it.
    func check(_ command: String = "check") async throws -> [String] {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (checked, wasKilled, status) = try await Self.launch([command, folder, scenario], [:])
        var complaints = checked.split(separator: "\n").filter { $0.hasPrefix("wrong: ") }.map(String.init)
        if wasKilled || status != 0 && complaints.isEmpty {
            complaints.append("the check itself ended with \(status): \(checked)")
        }
        guard command == "check" else { return complaints }
        guard let recovered = Self.value("recovered", checked) else {
            return complaints + ["the check found no outcome: \(checked)"]
        }
        // The answer before the end must still hold. One that was open or stored may have become
        // final.
        if let answer = value("answered"), answer != recovered, !["unknown", "storedOffline"].contains(answer) {
            complaints.append("the caller\'s answer was \(answer), and now it is \(recovered)")
        }
        return complaints
    }

    private static let executable: String = {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        let folders = [own, CommandLine.arguments[0]].map { URL(filePath: $0).deletingLastPathComponent() }
        return
            (folders.first { FileManager.default.isExecutableFile(atPath: $0.appending(path: "crash-lane").path) }
            ?? folders[0])
            .appending(path: "crash-lane").path(percentEncoded: false)
    }()

    private typealias Ended = (output: String, wasKilled: Bool, status: Int32)

    /// On a thread of its own, because it blocks.
    private static func launch(_ arguments: [String], _ environment: [String: String]) async throws -> Ended {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try wait(for: arguments, environment) }) }
        }
    }

    private static func wait(for arguments: [String], _ environment: [String: String]) throws -> Ended {
        let process = Process()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        // Of a process that is killed no coverage comes, and what a lane throws on a broken disk
        // needs no trace.
        process.environment = ProcessInfo.processInfo.environment.merging([
            "LLVM_PROFILE_FILE": "/dev/null", "SWIFT_BACKTRACE": "enable=no",
        ]) { $1 }
        .merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (
            String(decoding: output, as: UTF8.self),
            process.terminationReason == .uncaughtSignal && process.terminationStatus == 9,
            process.terminationStatus
        )
    }
}

import Foundation

/// Tests that look at a whole process run in one of their own, where no other test is.
public enum OwnProcess {
    private static let variable = "CARDPRESENT_OWN_PROCESS"
    public static var isThis: Bool { ProcessInfo.processInfo.environment[variable] != nil }

    /// Runs the suite `filter` of this test program, and gives its status and what it said.
    public static func run(_ filter: String) async throws -> (status: Int32, said: String) {
        let log = FileManager.default.temporaryDirectory.appending(path: "process-\(UUID().uuidString)")
        try Data().write(to: log)
        defer { try? FileManager.default.removeItem(at: log) }
        let output = try FileHandle(forWritingTo: log)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            [
                "timeout", "--kill-after", "5", "120", CommandLine.arguments[0], "--testing-library", "swift-testing",
                "--filter", filter,
            ]
        process.environment = ProcessInfo.processInfo.environment.merging([variable: "1"]) { $1 }
        process.standardOutput = output
        process.standardError = output
        let status = try await withCheckedThrowingContinuation { (waiting: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { waiting.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { waiting.resume(throwing: error) }
        }
        return (status, try String(contentsOf: log, encoding: .utf8))
    }
}

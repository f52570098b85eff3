import Foundation
import Testing

/// Debian's `python3-jsonschema` over docs/terminal-messages.schema.json (`Tests/Peers/schema-peer.py`).
enum SchemaPeer {
    /// What it prints about `input`, a line each.
    static func lines(_ task: String, _ input: String = "") throws -> [String] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = FileManager.default.temporaryDirectory.appending(path: "schema-peer-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(input.utf8).write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [
            tests.appending(path: "Peers/schema-peer.py").path,
            tests.deletingLastPathComponent().appending(path: "docs/terminal-messages.schema.json").path, task,
        ]
        process.standardInput = try FileHandle(forReadingFrom: file)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return String(decoding: printed, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

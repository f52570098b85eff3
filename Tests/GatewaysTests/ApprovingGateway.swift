import Foundation
import Testing

/// `approving_gateway.py` in a process of its own.
final class ApprovingGateway: Sendable {
    let port: UInt16
    private let process: Process
    private let input = Pipe()

    init() throws {
        let script = try #require(Bundle.module.url(forResource: "approving_gateway", withExtension: "py"))
        let output = Pipe()
        process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path(percentEncoded: false)]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        port = try #require(UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    deinit { process.terminate() }
}

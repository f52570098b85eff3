import Bytes
import Foundation
import Testing

@Suite("Clients of gateways against an independent program") struct PeerTests {
    @Test("an independent client, in Python, with hashes of its own") func python() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve()
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "peer.py").path(
            percentEncoded: false)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", script, String(port), HostBench.terminalID,
            String(decoding: HostBench.secret.revealed(), as: UTF8.self),
            String(decoding: bench.apiKey.revealed(), as: UTF8.self),
        ]
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let said = try await Task.detached { try output.fileHandleForReading.readToEnd() ?? Data() }.value
        let complaints = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(String(decoding: complaints, as: UTF8.self))")
        #expect(String(decoding: said, as: UTF8.self).split(separator: "\n").count == 31)
    }
}

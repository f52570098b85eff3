import Foundation
import Testing

/// A lane whose journal meets a failing disk at each of its writes and flushes, once or from then
/// on, or dies there; looked at by another process with a disk that works.
@Suite(.serialized) struct DiskFaultTests {
    private static let scenarios = [
        "keyed", "chip", "stripeStored", "keyedReferred", "unsigned", "tapUnsignedAnswerLost", "keyedPublished",
        "tapUnsignedAnswerLostPublished",
    ]
    private static let faults = [("eio", "once"), ("enospc", "all")]
    private static let rotationFaults = [("eio", "once"), ("enospc", "all"), ("short", "once"), ("kill", "once")]

    @Test(
        "The disk fails at every write and flush: terminal, journal and host agree afterwards", .timeLimit(.minutes(20))
    )
    func everyOperation() async throws {
        let library = try DiskFaultLibrary()
        var total = 0
        for scenario in Self.scenarios {
            let operations = try await library.count { try await Lane.run(scenario, point: 0, environment: $0) }
            #expect(operations >= 3)
            for operation in 1...operations {
                for (kind, span) in Self.faults {
                    let lane = try await Lane.run(
                        scenario, point: 0, environment: library.environment(at: operation, kind, span))
                    let complaints = try await lane.check()
                    #expect(
                        complaints.isEmpty,
                        "\(scenario), \(kind) \(span) at \(operation) of \(operations): \(complaints) \(lane.output)")
                    total += 1
                }
            }
        }
        print("\(total) disk faults in \(Self.scenarios.count) scenarios")
        #expect(total >= 100)
    }

    @Test(
        "The disk fails, or the process dies, at every step of a change of keys: one key opens the journal",
        .timeLimit(.minutes(20)))
    func rotation() async throws {
        let library = try DiskFaultLibrary()
        let operations = try await library.count {
            try await Lane.run("keyed", point: 0, command: "rotate", environment: $0)
        }
        #expect(operations >= 3)
        for operation in 1...operations {
            for (kind, span) in Self.rotationFaults {
                let lane = try await Lane.run(
                    "keyed", point: 0, command: "rotate", environment: library.environment(at: operation, kind, span))
                let complaints = try await lane.check("check-rotation")
                #expect(
                    complaints.isEmpty, "\(kind) \(span) at \(operation) of \(operations): \(complaints) \(lane.output)"
                )
            }
        }
        print("\(operations * Self.rotationFaults.count) disk faults in a change of keys")
    }

    @Test("A chip sale waits for the disk three times: asking, answered and owing", .timeLimit(.minutes(20)))
    func flushes() async throws {
        let library = try DiskFaultLibrary()
        let flushes = try await library.count(onlyFlushes: true) {
            try await Lane.run("chip", point: 0, environment: $0)
        }
        // The confirmation's entry waits for nothing. Closing the journal flushes its log and the
        // database.
        #expect(flushes == 3 + 2)
    }
}

/// `disk_fault.c` as a library to be preloaded, compiled once for each suite.
private struct DiskFaultLibrary {
    private let path: String
    private let counts: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "disk-fault-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appending(path: "disk_fault.so").path(percentEncoded: false)
        counts = folder.appending(path: "count").path(percentEncoded: false)
        let source = try #require(Bundle.module.url(forResource: "disk_fault", withExtension: "c"))
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        compiler.arguments = [
            "clang", "-shared", "-fPIC", "-O1", "-o", path, source.path(percentEncoded: false), "-ldl",
        ]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0)
    }

    func environment(at operation: Int, _ kind: String, _ span: String) -> [String: String] {
        [
            "LD_PRELOAD": path, "DISK_FAULT_COUNT": counts, "DISK_FAULT_AT": "\(operation)", "DISK_FAULT_KIND": kind,
            "DISK_FAULT_SPAN": span,
        ]
    }

    /// How many operations a run has that nothing disturbs.
    func count(onlyFlushes: Bool = false, _ run: ([String: String]) async throws -> Lane) async throws -> Int {
        var environment = environment(at: 0, "eio", "once")
        if onlyFlushes { environment["DISK_FAULT_ONLY_FLUSHES"] = "1" }
        let lane = try await run(environment)
        let text = try #require(FileManager.default.contents(atPath: counts), "\(lane.output)")
        try? FileManager.default.removeItem(atPath: lane.folder)
        return try #require(Int(String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)))
    }
}

import Figures
import Foundation

/// What a sale costs terminal and journal: figures of `JournalBenchmark`, in a process of its own
/// beside this one's executable.
enum JournalFigures {
    static func run() throws -> [Figure] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cardpresent-journals-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let benchmark = Process()
        benchmark.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
            path: "JournalBenchmark")
        benchmark.arguments = [folder.path(percentEncoded: false), "--json"]
        let output = Pipe()
        benchmark.standardOutput = output
        try benchmark.run()
        let figures = try output.fileHandleForReading.readToEnd() ?? Data()
        benchmark.waitUntilExit()
        guard benchmark.terminationStatus == 0 else {
            throw BenchmarkError("JournalBenchmark ended with status \(benchmark.terminationStatus)")
        }
        return try JSONDecoder().decode([Figure].self, from: figures)
    }
}

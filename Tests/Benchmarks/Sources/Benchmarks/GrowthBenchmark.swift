import Bytes
import Figures
import Foundation
import TLV

/// Whether ten times as much costs ten times as much: the ratios are of the costs of one part each,
/// in the long and in the short input.
enum GrowthBenchmark {
    static func run(cardpresent: String, log: String) async throws -> (comparisons: [Comparison], figures: [Figure]) {
        let (explain, memory) = try explain(cardpresent, log)
        return ([try await tags(), explain], memory)
    }

    private static func tags() async throws -> Comparison {
        let (short, long) = (distinctTags(1000), distinctTags(10_000))
        var comparison = Comparison(
            "TLV: a tenth of indexing 10,000 distinct tags", against: "indexing 1,000 of them", limit: 1.2)
        var found = 0
        for _ in 0..<60 {
            var one = Comparison("", against: "", limit: 0)
            await one.measure(rounds: 1, times: 10) {
                found += (try? DataElements(parsing: long))?.count ?? 0
            } reference: {
                found += (try? DataElements(parsing: short))?.count ?? 0
            }
            comparison.take(ours: one.ours / 10, reference: one.reference)
        }
        guard found == 60 * 10 * 11_000 else { throw BenchmarkError("tags are missing") }
        return comparison
    }

    /// Tags of three bytes, of the private class, with a byte of value each.
    private static func distinctTags(_ count: Int) -> [UInt8] {
        (0..<count).flatMap { number in
            [0xDF, 0x80 | UInt8(truncatingIfNeeded: number >> 7), UInt8(truncatingIfNeeded: number & 0x7F), 1, 0x5A]
        }
    }

    /// Logs of the same transaction again and again.
    private static func explain(_ cardpresent: String, _ log: String) throws -> (Comparison, [Figure]) {
        let text = try String(contentsOfFile: log, encoding: .utf8)
        guard let body = text.range(of: "\n!") else { throw BenchmarkError("\(log) has no exchange") }
        let (head, transaction) = (text[...body.lowerBound], text[body.lowerBound...].dropFirst())
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "cardpresent-benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func file(_ count: Int) throws -> (path: String, count: Int) {
            let url = folder.appending(path: "\(count).apdu")
            let text = head + String(repeating: String(transaction), count: count)
            try text.write(to: url, atomically: false, encoding: .utf8)
            return (url.path, text.utf8.count)
        }
        let (one, short, long) = (try file(1), try file(200), try file(2000))
        var comparison = Comparison(
            "`cardpresent explain`: a tenth of 2,000 transactions", against: "200 of them", limit: 1.2)
        var (least, start, memory) = (Double.infinity, Double.infinity, 0)
        for _ in 0..<5 {
            let first = try MeasuredProcess.run([cardpresent, "explain", one.path])
            start = min(start, first.cost)
            let shorter = try MeasuredProcess.run([cardpresent, "explain", short.path])
            let longer = try MeasuredProcess.run([cardpresent, "explain", long.path])
            comparison.take(ours: (longer.cost - first.cost) / 10, reference: shorter.cost - first.cost)
            least = min(least, longer.cost)
            memory = longer.memory - first.memory
        }
        let megabytes = Double(long.count) / 1e6
        return (
            comparison,
            [
                Figure(
                    "`cardpresent explain`, each megabyte of log", value: (least - start) / 1e6 / megabytes, unit: "s",
                    limit: 0.5),
                Figure(
                    "its memory, each byte of log", value: Double(memory) / Double(long.count), unit: "bytes", limit: 8),
            ]
        )
    }
}

import CReference
import Figures
import Foundation

/// How fast `cardpresent replay` gets through a folder of logs, against the RSA operations of the
/// logs' terminals, and how much a second process helps.
///
/// Of 1,000 logs, the start of the process, which the rows of starts have, is a tenth; of as many
/// as this, a hundredth.
enum ReplayBenchmark {
    private static let logs = 10_000

    static func run(cardpresent: String) async throws -> (comparisons: [Comparison], figures: [Figure]) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cardpresent-logs-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let operations = try await LogFolder(folder).make(logs)
        var comparison = Comparison(
            "`cardpresent replay` of 10,000 logs, one job: each log",
            against: "its four RSA operations by `RSA_public_encrypt`", limit: 2.0
        )
        var out = [UInt8](repeating: 0, count: 248)
        var failures = 0
        var (one, two) = (Double.infinity, Double.infinity)
        for _ in 0..<8 {
            var round = Comparison("", against: "", limit: 0)
            await round.measure(rounds: 1, times: 1) {
            } reference: {
                for operation in operations where !operation.run(&out) { failures += 1 }
            }
            let alone = try replay(cardpresent, folder.path, jobs: 1)
            one = min(one, alone.elapsed)
            two = min(two, try replay(cardpresent, folder.path, jobs: 2).elapsed)
            comparison.take(ours: alone.cost / Double(logs), reference: round.reference / Double(logs))
        }
        guard failures == 0 else { throw BenchmarkError("\(failures) RSA operations failed") }
        return (
            [comparison],
            [Figure("two jobs against one, elapsed time on two processors", value: two / one, unit: "", limit: 0.60)]
        )
    }

    /// - Returns: User and system time of the process and its workers, and the time that passed, in
    ///   microseconds.
    private static func replay(_ cardpresent: String, _ folder: String, jobs: Int) throws -> (
        cost: Double, elapsed: Double
    ) {
        let words = [cardpresent, "replay", "--jobs", "\(jobs)", "--strict", folder]
        var pointers: [UnsafePointer<CChar>?] = words.map { UnsafePointer(strdup($0)) }
        pointers.append(nil)
        defer { for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) } }
        let start = ContinuousClock.now
        let cost = reference_process_cost(cardpresent, pointers)
        guard cost >= 0 else { throw BenchmarkError("the replay of the folder ends otherwise than its logs") }
        return (Double(cost), start.duration(to: .now) / .microseconds(1))
    }
}

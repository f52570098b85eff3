import Console
import Foundation
import Testing

/// ``WorkerPool`` in a process of its own: it starts copies of it, and a test has threads.
@Suite(.timeLimit(.minutes(20))) struct WorkerPoolTests {
    /// The answers in the order of their tasks, as `worker-lane` writes them.
    private func answers(_ tasks: [String], workers: Int) async throws -> [String] {
        try await inWorkspace { place in
            let run = try await place.run(Executables.path("worker-lane"), ["\(workers)"] + tasks)
            #expect(run.status == 0)
            #expect(run.errors.isEmpty)
            let lines = run.output.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1) }
            #expect(lines.count == tasks.count, "each has one answer")
            return lines.sorted { Int($0[0]) ?? -1 < Int($1[0]) ?? -1 }.map { String($0[1]) }
        }
    }

    private func expected(_ task: String) -> String {
        let answer: WorkerPool.Answer =
            switch task {
            case "crash": .crashed(signal: SIGSEGV)
            case "leave": .ended(status: 7)
            case "nonsense": .crashed(signal: SIGKILL)
            case "slow": .timedOut
            default: .done([task, "a:b"])
            }
        return "\(answer)"
    }

    @Test(arguments: [1, 2, 5]) func everyTaskHasItsAnswer(_ workers: Int) async throws {
        let tasks = (0..<40).map { "task \($0) é" }
        #expect(try await answers(tasks, workers: workers) == tasks.map(expected))
        #expect(try await answers([], workers: workers).isEmpty)
    }

    /// What was answered and not yet sent is asked for again. The loss is that of the task begun
    /// last.
    @Test(arguments: [1, 3]) func aWorkerThatGoesCostsOneTask(_ workers: Int) async throws {
        let kinds = ["crash", "leave", "slow", "nonsense"]
        let tasks = (0..<60).map { (index: Int) -> String in index % 7 == 5 ? kinds[index / 7 % 4] : "task \(index)" }
        #expect(try await answers(tasks, workers: workers) == tasks.map(expected))
        let onlyLosses = ["crash", "crash", "leave"]
        #expect(try await answers(onlyLosses, workers: workers) == onlyLosses.map(expected))
    }

    @Test("answers that are larger than what a pipe holds")
    func largeAnswers() async throws {
        let tasks = (0..<6).map { String(repeating: "\($0)", count: 100_000) }
        #expect(try await answers(tasks, workers: 2) == tasks.map(expected))
    }

    @Test("a process with threads cannot be copied")
    func threads() {
        let pool = WorkerPool(count: 1, timeLimit: .seconds(1))
        #expect(throws: InputError.self) {
            try pool.run(1) { _ in
                []
            } receive: { _, _ in
                Issue.record("nobody answered")
            }
        }
    }
}

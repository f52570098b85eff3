internal import Dispatch

#if canImport(Glibc)
    @unsafe @preconcurrency private import Glibc
#elseif canImport(Musl)
    @unsafe @preconcurrency private import Musl
#endif

/// Executes tasks in copies of this process, so that a crash or a hang affects only its own result.
///
/// A copy has what this process has read, and starts in a fraction of the time of a new one. This
/// process must not have a second thread yet: it has one from its first `await` on.
public struct WorkerPool: Sendable {
    /// The result of a task.
    public enum Answer: Sendable, Equatable {
        case done([String])
        /// The worker exceeded the time limit for one task.
        case timedOut
        /// The worker was ended by this signal, or sent an invalid answer.
        case crashed(signal: Int32)
        /// The worker ended with this status.
        case ended(status: Int32)
    }

    private let count: Int
    private let timeLimit: Duration

    /// - Parameters:
    ///   - count: The maximum number of concurrent workers, at least one.
    ///   - timeLimit: What a task may take. It is ended up to a second later.
    public init(count: Int, timeLimit: Duration) {
        self.count = max(1, count)
        self.timeLimit = timeLimit
    }

    /// Executes the tasks 0 to `tasks` - 1, and passes each answer to `receive` when it arrives. It
    /// blocks its thread.
    ///
    /// - Parameter work: Executes a task in a worker. What it prints on standard error is lost.
    /// - Throws: An error if no worker can be started.
    public func run(
        _ tasks: Int, work: @escaping @Sendable (Int) async -> [String], receive: (Int, Answer) -> Void
    ) throws(InputError) {
        var open = Array(0..<tasks)
        while !open.isEmpty {
            let round = try Round(open, workers: min(count, open.count), timeLimit: timeLimit, work)
            try round.run(receive)
            // The answers that a worker had not sent when it was lost.
            open = round.unanswered
        }
    }
}

/// Each of some tasks given to a worker once.
private final class Round {
    private let tasks: [Int]
    private let timeLimit: Duration
    private let work: @Sendable (Int) async -> [String]
    private let board: TaskBoard
    private var isAnswered: [Bool]
    /// By their numbers on the board; nil for one that has ended.
    private var workers: [WorkerProcess?]

    init(
        _ tasks: [Int], workers: Int, timeLimit: Duration, _ work: @escaping @Sendable (Int) async -> [String]
    ) throws(InputError) {
        self.tasks = tasks
        self.timeLimit = timeLimit
        self.work = work
        board = try TaskBoard(workers: workers)
        isAnswered = Array(repeating: false, count: tasks.count)
        self.workers = Array(repeating: nil, count: workers)
    }

    var unanswered: [Int] { zip(tasks, isAnswered).filter { !$0.1 }.map(\.0) }

    func run(_ receive: (Int, WorkerPool.Answer) -> Void) throws(InputError) {
        // After an error the others still work.
        defer { for worker in workers { worker?.kill() } }
        for number in workers.indices { workers[number] = try start(number) }
        while case let running = workers.compactMap({ $0 }), !running.isEmpty {
            for worker in WorkerProcess.ready(running) where !read(worker, receive) {
                lose(worker, receive)
                workers[worker.number] = try start(worker.number)
            }
            for case let worker? in workers { worker.checkTime(of: board.task(of: worker.number), limit: timeLimit) }
        }
    }

    /// Nil if there are no more tasks.
    private func start(_ number: Int) throws(InputError) -> WorkerProcess? {
        let first = board.take(for: number)
        guard first < tasks.count else { return nil }
        return try WorkerProcess(number, at: first) { [tasks, work, board] answers in
            Task {
                var link = WorkerLink(answers)
                var place = first
                while place < tasks.count {
                    guard link.send(await work(tasks[place]), of: place) else { break }
                    place = board.take(for: number)
                }
                // Without what this process does at its end, its output for one.
                _exit(link.flush() ? 0 : 1)
            }
            dispatchMain()
        }
    }

    /// Passes on the answers of `worker`; false if it has ended or must end.
    private func read(_ worker: WorkerProcess, _ receive: (Int, WorkerPool.Answer) -> Void) -> Bool {
        guard let messages = worker.receive() else { return false }
        for message in messages {
            guard isAnswered.indices.contains(message.task), !isAnswered[message.task] else { return false }
            isAnswered[message.task] = true
            receive(tasks[message.task], .done(message.words))
        }
        return true
    }

    /// Ends `worker`. The task that it was at has its end as the answer.
    private func lose(_ worker: WorkerProcess, _ receive: (Int, WorkerPool.Answer) -> Void) {
        workers[worker.number] = nil
        let end = worker.end()
        let place = board.task(of: worker.number)
        guard isAnswered.indices.contains(place), !isAnswered[place] else { return }
        isAnswered[place] = true
        receive(tasks[place], end)
    }
}

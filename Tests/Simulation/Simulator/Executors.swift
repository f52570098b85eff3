// The one file that stands on interfaces of the concurrency runtime which are not public yet (SE
// pitch "Custom Main and Global Executors").
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

/// Every task of the process runs on the loop: actors' jobs, detached tasks, the main actor's jobs
/// and all who sleep.
final class LoopExecutor: TaskExecutor, SchedulingExecutor, MainExecutor, @unchecked Sendable {
    static let shared = LoopExecutor()

    func enqueue(_ job: consuming ExecutorJob) { Loop.shared.enqueue(UnownedJob(job)) }

    func enqueue<C: Clock>(_ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C) {
        enqueue(job, in: delay as? Duration)
    }

    func enqueue<C: Clock>(_ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C) {
        enqueue(job, in: clock.now.duration(to: instant) as? Duration)
    }

    private func enqueue(_ job: consuming ExecutorJob, in delay: Duration?) {
        guard let delay else {
            fatalError("a clock of its own: the simulator knows the clocks of the standard library")
        }
        Loop.shared.enqueue(UnownedJob(job), after: delay.nanoseconds)
    }

    func run(_ job: UnownedJob) { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }

    func run() {}
    func stop() {}
}

private struct LoopFactory: ExecutorFactory {
    static var mainExecutor: any MainExecutor { LoopExecutor.shared }
    static var defaultExecutor: any TaskExecutor { LoopExecutor.shared }
}

extension Loop {
    /// Has every task of this process run on the loop; to be called once, before the first task.
    static func takeOver() { _createExecutors(factory: LoopFactory.self) }
}

import Console
import EMVReplay
import Reports
import TraceImport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Replays many logs in separate processes, several at a time: a log that crashes its process, or
/// takes too long, is a broken log; the others still have results.
struct ReplayWorkers {
    let run: ReplayRun
    /// The time limit for a log in seconds.
    let limit: UInt32

    /// - Parameter jobs: The number of concurrent processes; nil for one for each processor.
    func replay(_ files: [String], jobs: Int?, _ progress: Progress) throws(InputError) -> ReplaySuite {
        let pool = WorkerPool(count: jobs ?? Self.processors, timeLimit: .seconds(limit))
        var cases = [ReplaySuite.Case?](repeating: nil, count: files.count)
        try pool.run(files.count) { [run] index in
            await run.replay(files[index]).fields
        } receive: { index, answer in
            cases[index] = result(files[index], answer)
            progress.advance()
        }
        var answered: [ReplaySuite.Case] = []
        answered.reserveCapacity(cases.count)
        for case let entry? in cases { answered.append(entry) }
        return ReplaySuite(answered)
    }

    private func result(_ file: String, _ answer: WorkerPool.Answer) -> ReplaySuite.Case {
        switch answer {
        case .done(let fields):
            return ReplaySuite.Case(file: file, fields: fields) ?? broken("the result cannot be read")
        case .timedOut: return broken("the replay took longer than \(limit) s: give it more with --time-limit")
        case .crashed(let signal): return broken("the replay crashed (signal \(signal)): please report this log")
        case .ended(let status): return broken("the replay ended early (status \(status)): please report this log")
        }
        func broken(_ why: String) -> ReplaySuite.Case { ReplaySuite.Case(file: file, result: .broken(why)) }
    }

    private static var processors: Int {
        // fits: a constant of the system
        max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }
}

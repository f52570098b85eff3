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
    let options: LogOptions
    let authorities: CAKeyOptions
    let strict: Bool
    let proves: Bool
    /// The time limit for a log in seconds.
    let limit: UInt32

    /// - Parameter jobs: The number of concurrent processes; nil for one for each processor.
    func replay(_ files: [String], jobs: Int?, _ progress: Progress) throws(InputError) -> ReplaySuite {
        let pool = WorkerPool(executable: "/proc/self/exe", arguments: arguments, count: jobs ?? Self.processors)
        var cases = [ReplaySuite.Case?](repeating: nil, count: files.count)
        try pool.run(files) { index, answer in
            cases[index] = result(files[index], answer)
            progress.advance()
        }
        return ReplaySuite(cases.compactMap { $0 })
    }

    private func result(_ file: String, _ answer: WorkerPool.Answer) -> ReplaySuite.Case {
        switch answer {
        case .done(let fields): return ReplaySuite.Case(file: file, fields: fields) ?? broken("the result cannot be read")
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

    /// Those of ``ReplayWorker``.
    private var arguments: [String] {
        [
            ReplayWorker.name, "\(limit)", options.format.from?.rawValue ?? "", options.skipBadLines ? "skip" : "",
            authorities.caKeys ?? "",
            authorities.vectors ?? "", strict ? "strict" : "", proves ? "prove" : "",
        ]
    }
}

/// The process that `replay` starts for many logs. Its arguments are `replay`'s word for it and not for people, and are read at a glance:
/// to parse those of a command takes as long as to replay twenty logs.
struct ReplayWorker {
    static let name = "replay-worker"

    private let limit: UInt32
    private let options: LogOptions
    private let authorities: CAKeyOptions
    private let isStrict: Bool
    private let proves: Bool

    /// - Parameter arguments: Those of the process; nil if they are another command's.
    init?(_ arguments: [String]) {
        guard arguments.count == 9, arguments[1] == Self.name, let limit = UInt32(arguments[2]) else { return nil }
        func given(_ index: Int) -> String? { arguments[index].isEmpty ? nil : arguments[index] }
        self.limit = limit
        options = LogOptions(format: given(3).flatMap(LogFormat.init), skipBadLines: given(4) != nil)
        authorities = CAKeyOptions(caKeys: given(5), vectors: given(6))
        isStrict = given(7) != nil
        proves = given(8) != nil
    }

    /// Off the main actor: to come back to it from each of the card's answers costs as much as the kernel.
    @concurrent func run() async throws {
        let run = ReplayRun(
            options: options, caKeys: try authorities.keys(tellsProblems: false), strictness: isStrict ? .bytes : .meaning, proves: proves)
        var link = WorkerLink(limit: limit)
        while let file = link.next() {
            guard link.answer(await run.replay(file).fields) else { return }
        }
    }
}

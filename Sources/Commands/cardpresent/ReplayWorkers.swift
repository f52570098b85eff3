import ArgumentParser
import Console
import EMVReplay
import Reports
import TraceImport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Replays many logs in processes of their own, several at a time: a log that crashes one, or takes too long, is a
/// broken log, and the others have their results all the same.
struct ReplayWorkers {
    let options: LogOptions
    let authorities: CAKeyOptions
    let strict: Bool
    let proves: Bool
    /// Seconds that a log may take.
    let limit: UInt32

    /// - Parameter jobs: How many at the same time; nil for one a processor.
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
        case .done(let words): return ReplaySuite.Case(file: file, words: words) ?? broken("the result cannot be read")
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

    /// Those of ``ReplayWorkerCommand``.
    private var arguments: [String] {
        var arguments = [ReplayWorkerCommand.name, "--time-limit", "\(limit)"]
        if let format = options.format.from { arguments += ["--from", format.rawValue] }
        if options.skipBadLines { arguments.append("--skip-bad-lines") }
        if let path = authorities.caKeys { arguments += ["--ca-keys=\(path)"] }
        if let path = authorities.vectors { arguments += ["--vectors=\(path)"] }
        if strict { arguments.append("--strict") }
        if proves { arguments.append("--prove") }
        return arguments
    }
}

/// The process that `replay` starts for many logs.
struct ReplayWorkerCommand: AsyncParsableCommand {
    static let name = "replay-worker"
    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Replays the logs that 'replay' hands to it.", shouldDisplay: false)

    @OptionGroup var options: LogOptions
    @OptionGroup var authorities: CAKeyOptions
    @Flag var strict = false
    @Flag var prove = false
    @Option var timeLimit: UInt32

    func run() async throws {
        let run = ReplayRun(
            options: options, caKeys: try authorities.keys(tellsProblems: false), strictness: strict ? .bytes : .meaning, proves: prove)
        var link = WorkerLink(limit: timeLimit)
        while let file = link.next() {
            guard link.answer(await run.replay(file).words) else { return }
        }
    }
}

import CardCryptography
import Console
import EMVReplay
import Reports
import SmartCard
import Synchronization
import TraceImport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Replays many logs, several at a time. Each is read when its turn comes, and only what changed is kept.
struct ReplayRun: Sendable {
    let options: LogOptions
    let caKeys: [CAPublicKey]
    let strictness: ReplayStrictness

    /// - Parameter jobs: How many at the same time; nil for one a processor.
    func replay(_ files: [String], jobs: Int?, _ progress: Progress) async -> ReplaySuite {
        let turn = Turn()
        let cases = await withTaskGroup(of: [(Int, ReplaySuite.Case)].self) { group in
            for _ in 0..<min(files.count, jobs ?? max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))) {
                group.addTask {
                    var done: [(Int, ReplaySuite.Case)] = []
                    while true {
                        let index = turn.next()
                        guard index < files.count else { return done }
                        done.append((index, await replay(files[index])))
                        progress.advance()
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        return ReplaySuite(cases.sorted { $0.0 < $1.0 }.map(\.1))
    }

    private func replay(_ file: String) async -> ReplaySuite.Case {
        let start = ContinuousClock.now
        let (title, result) = await outcome(file)
        return ReplaySuite.Case(file: file, title: title, result: result, elapsed: start.duration(to: .now))
    }

    private func outcome(_ file: String) async -> (String?, ReplaySuite.Case.Result) {
        let trace: APDUTrace
        do {
            trace = try options.quietly(file).trace
        } catch {
            return (nil, .broken(String(error.description.dropFirst(InputFile.name(file).count + 2))))
        }
        do {
            let report = try await Replay.run(trace, caKeys: caKeys)
            if report.isCutShort { return (trace["title"], .broken(Self.cutShort(report))) }
            let changes = report.changes(strictness)
            return (trace["title"], changes.isEmpty ? .same : .different(changes.map(\.row)))
        } catch {
            return (trace["title"], .broken("\(error)"))
        }
    }

    static func cutShort(_ report: ReplayReport) -> String {
        "the log ends at line \(report.lastLine) before the transaction does: is it cut short?"
    }
}

/// Gives out the numbers of the logs, each once.
private final class Turn: Sendable {
    private let number = Atomic(0)
    func next() -> Int { number.add(1, ordering: .relaxed).oldValue }
}

import CardCryptography
import Console
import EMVReplay
import Reports
import SmartCard
import TraceImport

/// Replays one of many logs, and keeps only what changed.
struct ReplayRun: Sendable {
    let options: LogOptions
    let caKeys: [CAPublicKey]
    let kernel8Keys: [String]
    let strictness: ReplayStrictness
    /// Whether certificates, cryptograms and ARPCs are also checked.
    let proves: Bool
    /// Of all logs that this process replays.
    private let memory: ReplayMemory

    init(options: LogOptions, caKeys: [CAPublicKey], kernel8Keys: [String], strictness: ReplayStrictness, proves: Bool)
    {
        self.options = options
        self.caKeys = caKeys
        self.kernel8Keys = kernel8Keys
        self.strictness = strictness
        self.proves = proves
        memory = ReplayMemory(caKeys: caKeys)
    }

    func replay(_ file: String) async -> ReplaySuite.Case {
        let start = ContinuousClock.now
        let trace: APDUTrace
        do {
            trace = try options.quietly(file).trace.completed(withKernel8Keys: kernel8Keys)
        } catch {
            let why = String(error.description.dropFirst(InputFile.name(file).count + 2))
            return ReplaySuite.Case(file: file, result: .broken(why), elapsed: start.duration(to: .now))
        }
        let (title, result) = await outcome(trace)
        let proofs =
            proves ? ReplayProofs(Evidence.examine(trace, caKeys: caKeys, issuer: IssuerKeyMaterial(trace))) : nil
        return ReplaySuite.Case(
            file: file, title: title, result: result, proofs: proofs, elapsed: start.duration(to: .now))
    }

    private func outcome(_ trace: APDUTrace) async -> (String?, ReplaySuite.Case.Result) {
        let transactions = trace.replayedTransactions
        var (rows, missing): ([ReplayChangeRow], [String]) = ([], [])
        for (place, transaction) in transactions.enumerated() {
            let name = transactions.count > 1 ? "transaction \(place + 1), " : ""
            do {
                let report = try await Replay.run(transaction, memory: memory)
                if report.isCutShort { return (trace["title"], .broken(name + Self.cutShort(report))) }
                rows += report.changes(strictness).map(\.row).map {
                    ReplayChangeRow(what: name + $0.what, logged: $0.logged, replayed: $0.replayed)
                }
                missing += report.notChecked.map { name + $0 }
            } catch {
                return (trace["title"], .broken("\(name)\(error)"))
            }
        }
        if !rows.isEmpty { return (trace["title"], .different(rows)) }
        return (trace["title"], missing.isEmpty ? .same : .notChecked(missing.joined(separator: "; ")))
    }

    static func cutShort(_ report: ReplayReport) -> String {
        "the log ends at line \(report.lastLine) before the transaction does: it may be cut short"
    }
}

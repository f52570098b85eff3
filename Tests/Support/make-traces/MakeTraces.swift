import CardCryptography
import Console
import EMVKernel
import EMVReplay
import FoundationEssentials
import SmartCard
import VirtualCard

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Makes the cases of the regression suite, `Vectors/traces/*.apdu`: make-traces [NAME …]
///
/// A case is written only if it ended as the books require, and if its replay is the same. Keys and
/// random numbers are new each time, so the files differ.
@main
struct MakeTraces {
    static func main() async {
        do {
            let vectors = try VectorFolder.find()
            let requested = CommandLine.arguments.dropFirst()
            let (small, usual) = (try CardPersonalizer(TraceCase.smallKeys), try CardPersonalizer())
            func personalizer(_ profile: CardProfile) -> CardPersonalizer {
                profile.keySizes == TraceCase.smallKeys ? small : usual
            }
            var cases: [(name: String, text: () async throws -> String)] = []
            for example in try Self.cases(vectors) {
                cases.append((example.name, { try await text(example, personalizer(example.profile)) }))
            }
            for example in TapCase.all {
                cases.append((example.name, { try await text(example, personalizer(example.profile)) }))
            }
            if !requested.isEmpty { cases.removeAll { !requested.contains($0.name) } }
            var failures = 0
            for example in cases {
                do {
                    let text = try await example.text()
                    try OutputFile.replace(
                        vectors.appending(path: "traces/\(example.name).apdu").path(percentEncoded: false), with: text)
                } catch {
                    printError("\(example.name): \(error)")
                    failures += 1
                }
            }
            print("\(cases.count - failures) of \(cases.count) cases made")
            exit(failures == 0 ? 0 : 1)
        } catch {
            printError("\(error)")
            exit(2)
        }
    }

    private static func cases(_ vectors: URL) throws -> [TraceCase] {
        try TraceCase.verification + TraceCase.authentication + TraceCase.outcomes + TraceCase.scripts
            + TraceCase.selection
            + TraceCase.hostile(in: vectors.appending(path: "cards"))
    }

    private static func text(_ example: TraceCase, _ bench: CardPersonalizer) async throws -> String {
        let run = try await CaseRun(example, on: bench)
        return try await text(run.trace, ended: run.outcome.decision.summary, expect: example.expect)
    }

    private static func text(_ example: TapCase, _ bench: CardPersonalizer) async throws -> String {
        let run = try await TapRun(example, on: bench)
        return try await text(run.trace, ended: run.summary, expect: example.expect)
    }

    private static func text(_ trace: APDUTrace, ended words: String, expect: String) async throws -> String {
        guard words == expect || words.hasPrefix(expect + ":") else {
            throw CaseError("it ended \"\(words)\", not \"\(expect)\"")
        }
        guard trace.hasOnlyTestCards else { throw CaseError("its card is not a published test card") }
        var writer = APDUTraceWriter(.testCard)
        let text = writer.text(trace)
        let report = try await Replay.run(APDUTrace(parsing: text), caKeys: [])
        let changes = report.changes(.bytes)
        guard report.obstacle == nil else { throw CaseError("it cannot be replayed: \(report.decisionWords)") }
        guard changes.isEmpty, !report.isCutShort else {
            throw CaseError("its replay differs, \(changes.count) times: \(changes[0])")
        }
        return text
    }
}

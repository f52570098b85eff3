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
            let wanted = CommandLine.arguments.dropFirst()
            let cases = try Self.cases(vectors).filter { wanted.isEmpty || wanted.contains($0.name) }
            let (small, usual) = (try CardPersonalizer(TraceCase.smallKeys), try CardPersonalizer())
            var failures = 0
            for example in cases {
                do {
                    let text = try await Self.text(example, example.profile.keySizes == TraceCase.smallKeys ? small : usual)
                    try OutputFile.replace(vectors.appending(path: "traces/\(example.name).apdu").path(percentEncoded: false), with: text)
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
        try TraceCase.verification + TraceCase.authentication + TraceCase.outcomes + TraceCase.scripts + TraceCase.selection
            + TraceCase.hostile(in: vectors.appending(path: "cards"))
    }

    private static func text(_ example: TraceCase, _ bench: CardPersonalizer) async throws -> String {
        let run = try await CaseRun(example, on: bench)
        let words = run.outcome.decision.summary
        guard words == example.expect || words.hasPrefix(example.expect + ":") else {
            throw CaseError("it ended \"\(words)\", not \"\(example.expect)\"")
        }
        guard run.trace.hasOnlyTestCards else { throw CaseError("its card is not a published test card") }
        var writer = APDUTraceWriter(.testCard)
        let text = writer.text(run.trace)
        let report = try await Replay.run(APDUTrace(parsing: text), caKeys: [])
        let changes = report.changes(.bytes)
        guard changes.isEmpty, !report.isCutShort else { throw CaseError("its replay differs, \(changes.count) times: \(changes[0])") }
        return text
    }
}

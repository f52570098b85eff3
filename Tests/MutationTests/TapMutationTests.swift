import Contactless
import Mutation
import Testing

/// Taps of a virtual card with damaged answers. tools/mutate runs a hundred thousand.
@Suite struct TapMutationTests {
    @Test(
        "Every run ends in an outcome, in few commands, and nothing is approved that a signature does not cover",
        arguments: 0..<4 as Range<UInt64>) func everyTapEnds(_ block: UInt64) async throws
    {
        let bench = try await TapMutationBench()
        let watchdog = Watchdog()
        var counts: [ContactlessOutcome.Status: Int] = [:]
        for seed in block * 1250..<(block + 1) * 1250 {
            watchdog.begin(seed)
            let run = await bench.run(seed)
            #expect(run.violations == [], "seed \(seed), \(run.kind)")
            counts[run.outcome.status, default: 0] += 1
        }
        watchdog.end()
        // Mutations change how a tap ends, each in its way, or nothing is tested.
        for status in [ContactlessOutcome.Status.approved, .onlineRequest, .declined, .endApplication] {
            #expect(counts[status, default: 0] > 25, "\(status)")
        }
    }

    @Test func seedTellsAll() async throws {
        let (first, second) = (try await TapMutationBench(), try await TapMutationBench())
        for seed in 0..<160 as Range<UInt64> {
            let (run, again) = (await first.run(seed), await second.run(seed))
            guard run.kind.hasFixedKeys else { continue }
            #expect(run.outcome.status == again.outcome.status, "seed \(seed)")
            #expect(run.outcome.reason == again.outcome.reason, "seed \(seed)")
            #expect(run.additionalCommands == again.additionalCommands)
        }
    }
}

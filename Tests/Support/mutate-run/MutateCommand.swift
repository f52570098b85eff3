import Contactless
import EMVKernel
import Foundation
import Mutation

/// Mutates card conversations, seed by seed, and prints tab-separated counts of what they ended in
/// for tools/mutate to add up.
@main
struct MutateCommand {
    static func main() async throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
        guard numbers.count == 2, CommandLine.arguments.count == 3 else {
            print("usage: mutate-run FIRST-SEED COUNT (tools/mutate builds it and runs it on all cores)")
            exit(64)
        }
        let bench = try await MutationBench(memory: { Memory.live() })
        let taps = try await TapMutationBench(memory: { Memory.live() })
        let watchdog = Watchdog()
        var counts: [String: Int] = [:]
        var violations: [String] = []
        var maximumCommands = 0
        var maximumMemory = 0
        // Before resident memory is measured, what is set up once is set up.
        for seed in numbers[0]..<numbers[0] + 200 { _ = (await bench.run(seed), await taps.run(seed)) }
        let resident = Memory.residentPeakFromNow()
        for seed in numbers[0]..<numbers[0] + numbers[1] {
            watchdog.begin(seed)
            let run = await bench.run(seed)
            let tap = await taps.run(seed)
            watchdog.end()
            counts["\(tap.kind.rawValue)\t\(tap.outcome.status)", default: 0] += 1
            maximumCommands = max(maximumCommands, tap.additionalCommands)
            maximumMemory = max(maximumMemory, tap.additionalMemory)
            violations += tap.violations.map { "seed \(seed), \(tap.kind.rawValue): \($0)" }
            counts["\(run.kind.rawValue)\t\(words(run.outcome.decision))", default: 0] += 1
            maximumCommands = max(maximumCommands, run.additionalCommands)
            maximumMemory = max(maximumMemory, run.additionalMemory)
            violations += run.violations.map { "seed \(seed), \(run.kind.rawValue): \($0)" }
        }
        let growth = Memory.residentPeak() - resident
        if growth > MutationBench.additionalMemory {
            violations.append("seeds from \(numbers[0]): resident memory grew by \(growth) bytes")
        }
        for violation in violations { print("violation\t\(violation)") }
        for (name, count) in counts { print("count\t\(name)\t\(count)") }
        print("commands\t\(maximumCommands)\nheap\t\(maximumMemory)\nresident\t\(growth)")
        exit(violations.isEmpty ? 0 : 1)
    }

    /// A decision without the details that differ from run to run.
    private static func words(_ decision: Outcome.Decision) -> String {
        guard case .terminated(let reason) = decision else { return decision.summary }
        let label = Mirror(reflecting: reason).children.first?.label ?? "\(reason)"
        if case .channel(let error) = reason { return "terminated: \(error)" }
        return "terminated: \(label)"
    }
}

import Foundation

/// Prints what the library costs as ratios to named references, each pair measured in turn in this run.
@main
struct Benchmarks {
    static func main() async throws {
        guard CommandLine.arguments.count == 3 else {
            print("usage: Benchmarks CARDPRESENT EMPTY (tools/bench builds and passes both executables)")
            exit(64)
        }
        var comparisons = await TLVBenchmark.run()
        comparisons += try await TransactionBenchmark.run()
        comparisons += try await OnlineTransactionBenchmark.run()
        comparisons.append(try StartBenchmark.run(cardpresent: CommandLine.arguments[1], empty: CommandLine.arguments[2]))
        print("\nmeasured                                                       ours     reference   ratio   at most")
        for comparison in comparisons {
            let name = comparison.name.padding(toLength: 60, withPad: " ", startingAt: 0)
            print(
                String(
                    format: "%@ %8.2f µs %8.2f µs   %5.2f   %5.2f %@", name, comparison.ours, comparison.reference, comparison.ratio,
                    comparison.limit, comparison.ratio <= comparison.limit ? "" : "  EXCEEDED"))
        }
        if comparisons.contains(where: { $0.ratio > $0.limit }) { exit(1) }
    }
}

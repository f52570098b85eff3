import Foundation

/// Prints what the library costs as ratios to named references, each pair measured in turn in this run.
@main
struct Benchmarks {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let isMarkdown = arguments.first == "--markdown"
        let paths = Array(isMarkdown ? arguments.dropFirst() : arguments)
        guard paths.count == 3 else {
            print("usage: Benchmarks [--markdown] CARDPRESENT EMPTY LOG (tools/bench builds and passes both executables)")
            exit(64)
        }
        var report = BenchmarkReport()
        report.comparisons += await TLVBenchmark.run()
        report.comparisons += try await CipherBenchmark().run()
        report.add(try await TransactionBenchmark.run())
        report.comparisons += try await OnlineTransactionBenchmark.run()
        report.comparisons += try StartBenchmark.run(cardpresent: paths[0], empty: paths[1])
        report.add(try await GrowthBenchmark.run(cardpresent: paths[0], log: paths[2]))
        print(isMarkdown ? report.markdown : report.text)
        if !report.isWithinLimits { exit(1) }
    }
}

import Foundation

/// Prints what the library costs as ratios to named references, each pair measured in turn in this
/// run.
@main
struct Benchmarks {
    private enum Group: String, CaseIterable {
        case tlv, ciphers, offline, online, taps, starts, replay, growth, journal
    }

    static func main() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let isMarkdown = arguments.first == "--markdown"
        if isMarkdown { arguments.removeFirst() }
        let groups = arguments.dropFirst(3).compactMap(Group.init)
        guard arguments.count >= 3, groups.count == arguments.count - 3 else {
            let names = Group.allCases.map(\.rawValue).joined(separator: " | ")
            print(
                "usage: Benchmarks [--markdown] CARDPRESENT EMPTY LOG [\(names) …] (tools/bench builds and passes the first three)"
            )
            exit(64)
        }
        var report = BenchmarkReport()
        for group in groups.isEmpty ? Group.allCases : groups {
            switch group {
            case .tlv: report.comparisons += await TLVBenchmark.run()
            case .ciphers: report.comparisons += try await CipherBenchmark().run()
            case .offline: report.add(try await TransactionBenchmark.run())
            case .online: report.comparisons += try await OnlineTransactionBenchmark.run()
            case .taps: report.add(try await TapBenchmark.run())
            case .starts: report.comparisons += try StartBenchmark.run(cardpresent: arguments[0], empty: arguments[1])
            case .replay: report.add(try await ReplayBenchmark.run(cardpresent: arguments[0]))
            case .growth: report.add(try await GrowthBenchmark.run(cardpresent: arguments[0], log: arguments[2]))
            case .journal: report.figures += try JournalFigures.run()
            }
        }
        print(isMarkdown ? report.markdown : report.text)
        if !report.isWithinLimits { exit(1) }
    }
}

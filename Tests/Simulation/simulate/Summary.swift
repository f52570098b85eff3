import Foundation
import Simulator

/// The figures of many runs as a person reads them.
struct Summary {
    private let total: Tally

    init(_ total: Tally) { self.total = total }

    var text: String {
        var lines = [
            "runs                \(total.runs)", "steps               \(total.steps)",
            "simulated hours     \(Int(total.seconds / 3600))",
            "second runs equal   \(total.hashes.count - total.unequal.count) of \(total.hashes.count)",
        ]
        if !total.unequal.isEmpty { lines.append("not equal           \(total.unequal.map { "\($0)" }.joined(separator: " "))") }
        lines += section("parts", total.marks.parts)
        lines += section("faults", total.marks.faults)
        lines += section("outcomes", total.marks.outcomes)
        lines += section("stage -- event -> stage", total.marks.transitions)
        lines += section("fault @ stage", total.marks.faultStages)
        lines += findings
        return lines.joined(separator: "\n")
    }

    private func section(_ title: String, _ counts: [String: Int]) -> [String] {
        ["", "\(title) (\(counts.count))"]
            + counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
                "  \($0.value)".padding(toLength: 12, withPad: " ", startingAt: 0) + $0.key
            }
    }

    private var findings: [String] {
        guard !total.findings.isEmpty else { return ["", "no findings"] }
        var seeds: [Violation.Kind: [(UInt64, String)]] = [:]
        for finding in total.findings {
            for kind in Set(finding.violations.map(\.kind)) {
                seeds[kind, default: []].append((finding.seed, finding.violations.first { $0.kind == kind }?.summary ?? ""))
            }
        }
        var lines = ["", "\(total.findings.count) seeds with findings"]
        for (kind, found) in seeds.sorted(by: { $0.value.count > $1.value.count }) {
            lines.append("  \(kind.rawValue): \(found.count) seeds; \(found.prefix(6).map { "\($0.0)" }.joined(separator: " "))")
            lines += found.prefix(3).map { "      \($0.0): \($0.1)" }
        }
        return lines
    }
}

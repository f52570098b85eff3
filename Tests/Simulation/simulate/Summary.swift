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
        if !total.unequal.isEmpty {
            lines.append("not equal           \(total.unequal.map { "\($0)" }.joined(separator: " "))")
        }
        lines += section("parts", total.marks.parts)
        lines += section("faults", total.marks.faults)
        lines += section("outcomes", total.marks.outcomes)
        lines += section("stage -- event -> stage", total.marks.transitions)
        lines += section("fault @ stage", total.marks.faultStages)
        lines += pairs
        lines += findings
        return lines.joined(separator: "\n")
    }

    private func section(_ title: String, _ counts: [String: Int]) -> [String] {
        ["", "\(title) (\(counts.count))"]
            + counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
                "  \($0.value)".padding(toLength: 12, withPad: " ", startingAt: 0) + $0.key
            }
    }

    /// How often each corner came with each wish and each host; those that cannot meet have a dash.
    private var pairs: [String] {
        var lines = ["", "corners with wishes and hosts"]
        let partners = Pairs.wishes + Pairs.hosts
        lines.append("  " + Self.padded("", 22) + partners.map { Self.padded(Self.short($0), 8) }.joined())
        var missing: [String] = []
        for corner in Fault.corners {
            let counts = partners.map { partner -> String in
                let isPossible = Pairs.isPossible(corner, partner)
                let count = Pairs.count(corner, partner, in: total.marks.pairs)
                if isPossible, count == 0 { missing.append("\(corner.rawValue) & \(partner)") }
                return isPossible || count > 0 ? "\(count)" : "-"
            }
            lines.append("  " + Self.padded(corner.rawValue, 22) + counts.map { Self.padded($0, 8) }.joined())
        }
        lines.append("")
        lines.append(missing.isEmpty ? "every pair occurred" : "pairs that did not occur (\(missing.count))")
        return lines + missing.map { "  \($0)" }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text.padding(toLength: width, withPad: " ", startingAt: 0)
    }

    /// Seven letters that tell the wishes and the hosts apart.
    private static func short(_ partner: String) -> String {
        let names = [
            "readerPreAuthorization": "readPre", "keyedPreAuthorization": "keyPre", "readerSale": "readSal",
            "keyedSale": "keySale",
            "cardRefund": "cardRef", "capture": "capture", "reversal": "reverse", "REST with extensions": "REST+",
            "bench host": "bench",
            "REST as published": "REST", "XML with extensions": "XML+", "XML as published": "XML",
        ]
        return names[partner] ?? partner
    }

    private var findings: [String] {
        guard !total.findings.isEmpty else { return ["", "no findings"] }
        var seeds: [Violation.Kind: [(UInt64, String)]] = [:]
        for finding in total.findings {
            for kind in Set(finding.violations.map(\.kind)) {
                seeds[kind, default: []].append(
                    (finding.seed, finding.violations.first { $0.kind == kind }?.summary ?? ""))
            }
        }
        var lines = ["", "\(total.findings.count) seeds with findings"]
        for (kind, found) in seeds.sorted(by: { $0.value.count > $1.value.count }) {
            lines.append(
                "  \(kind.rawValue): \(found.count) seeds; \(found.prefix(6).map { "\($0.0)" }.joined(separator: " "))")
            lines += found.prefix(3).map { "      \($0.0): \($0.1)" }
        }
        return lines
    }
}

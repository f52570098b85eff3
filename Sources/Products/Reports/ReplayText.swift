import Bytes
public import Console
import EMVKernel
public import EMVReplay
public import SmartCard
import TLV

/// A replay's report as text.
public struct ReplayText {
    private let console: Console

    public init(_ console: Console) { self.console = console }

    public func print(
        _ trace: APDUTrace, report: ReplayReport, evidence: [Evidence], strictness: ReplayStrictness = .meaning
    ) {
        let changes = report.changes(strictness)
        console.heading(Masking.text(trace["title"] ?? "Replay"))
        for step in report.steps { show(step) }
        for exchange in report.unused {
            Swift.print(
                "  \(line(exchange.line)) \(console.paint("the kernel did not send", .yellow)) \(Masking.text(CommandDescription.summary(exchange.command)))"
            )
        }
        if !report.assumptions.isEmpty {
            Swift.print("\n  Not in the log, and assumed so that it fits:")
            for assumption in report.assumptions { Swift.print("  - \(Masking.text(assumption))") }
        }
        if !report.phases.isEmpty { console.heading("Phases") }
        for phase in report.phases {
            Swift.print("  \(console.padded(phase.phase, 34)) \(Masking.text(phase.summary))")
        }
        if !evidence.isEmpty {
            console.heading("What the log proves")
            for entry in evidence { show(entry) }
        }
        console.heading("Outcome")
        Swift.print("  log     \(report.logged.summary)")
        if let replayed = report.replayed { Swift.print("  kernel  \(replayed.summary)") }
        if let obstacle = report.obstacle, report.presentations.isEmpty {
            Swift.print(console.paint("  not replayed: \(Masking.text("\(obstacle)"))", .yellow))
        } else if report.isCutShort {
            Swift.print(console.paint("  nothing to compare: the log ends too early", .yellow))
        } else {
            let same =
                report.presentations.contains { $0.obstacle != nil }
                ? "  the same as far as it is replayed" : "  the same"
            Swift.print(changes.isEmpty ? console.paint(same, .green) : console.paint("  DIFFERENT", .red))
            for what in report.notChecked {
                Swift.print(console.paint("  not checked: \(Masking.text(what))", .yellow))
            }
            for row in changes.map(\.row) where row.what != "outcome" {
                Swift.print(
                    "  \(console.padded(row.what, 34)) log: \(row.logged)\n  \(console.padded("", 31)) kernel: \(row.replayed)"
                )
            }
        }
    }

    private func show(_ entry: Evidence) {
        let detail = Masking.text(entry.detail)
        guard case .notChecked = entry.result else {
            return console.check(entry.isVerified, entry.subject, detail: detail)
        }
        Swift.print("  \(console.paint("? \(entry.subject)", .yellow)) not checked: \(detail)")
    }

    private func show(_ step: ReplayStep) {
        let verdict: String
        switch step.verdict {
        case .same: verdict = console.paint("same", .green)
        case .elsewhere: verdict = console.paint("same, in another place", .green)
        case .differentData(let differences):
            verdict = console.paint("other data", .yellow) + (differences.isEmpty ? "" : ":")
        case .notInLog(let status): verdict = console.paint("not in the log", .yellow) + ", answered \(status)"
        }
        Swift.print(
            "  \(line(step.line ?? 0)) \(console.padded(Masking.text(CommandDescription.summary(step.command)), 36)) \(Masking.text(step.answerWords))  \(verdict)"
        )
        guard case .differentData(let differences) = step.verdict else { return }
        for difference in differences {
            let name = TagDictionary[difference.tag]?.name ?? "unknown"
            Swift.print(
                "             \(difference.tag) \(name): log \(Masking.hex(difference.tag, difference.logged)), kernel \(Masking.hex(difference.tag, difference.replayed))"
            )
        }
    }

    private func line(_ number: Int) -> String {
        let text = number > 0 ? "line \(number)" : "–"
        return String(repeating: " ", count: max(0, 8 - text.count)) + text
    }
}

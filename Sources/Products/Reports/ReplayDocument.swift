import Bytes
import Console
import EMVExplanation
import EMVKernel
public import EMVReplay
public import SmartCard
import TLV

/// A replay's report as JSON.
public struct ReplayDocument: Encodable, Sendable {
    struct Step: Encodable, Sendable {
        let line: Int?
        let command: String
        let status: String
        let verdict: String
        let differences: [Difference]
    }

    struct Difference: Encodable, Sendable {
        let tag, logged, replayed: String
    }

    struct Proof: Encodable, Sendable {
        let subject: String
        /// "proved", "disproved" or "not checked".
        let result: String
        /// Nil if it was not checked.
        let verified: Bool?
        let detail: String

        init(_ evidence: Evidence) {
            subject = evidence.subject
            detail = Masking.text(evidence.detail)
            switch evidence.result {
            case .verified: (result, verified) = ("proved", true)
            case .failed: (result, verified) = ("disproved", false)
            case .notChecked: (result, verified) = ("not checked", nil)
            }
        }
    }

    struct Phase: Encodable, Sendable {
        let phase, result: String
    }

    struct Presentation: Encodable, Sendable {
        let line: Int
        /// Nil if no application was selected.
        let kernel: String?
        let isIssuerUpdate: Bool
        let loggedOutcome: String
        /// Nil if no kernel ran: the verdict says why.
        let replayedOutcome: String?
        let verdict: String

        init(_ presentation: ReplayReport.Presentation) {
            line = presentation.line
            kernel = presentation.kernel.map { "\($0)" }
            isIssuerUpdate = presentation.isIssuerUpdate
            loggedOutcome = presentation.logged.summary
            replayedOutcome = presentation.replayed?.summary
            verdict = Masking.text(presentation.decisionWords)
        }
    }

    let title: String?
    let source: String?
    let steps: [Step]
    let notSent: [String]
    let explanation: [String]
    let assumptions: [String]
    let phases: [Phase]
    /// Of a contactless card, in order.
    let presentations: [Presentation]
    let evidence: [Proof]
    let loggedOutcome: String
    /// Nil if no kernel ran.
    let replayedOutcome: String?
    /// Why no kernel ran; nil if one ran.
    let notReplayed: String?
    /// The final values; nil if the kernel has none.
    let tvr, tsi, cvmResults: String?
    /// Whether the log ends before its transaction.
    let isCutShort: Bool
    /// Whether the kernel's transaction ended like the log's.
    public let endsAlike: Bool
    /// What could not be checked, and the cure.
    let notChecked: [String]
    /// The differences from the log.
    let changes: [ReplayChangeRow]

    public init(
        _ trace: APDUTrace, report: ReplayReport, evidence: [Evidence], strictness: ReplayStrictness = .meaning
    ) {
        changes = report.changes(strictness).map(\.row)
        notChecked = report.notChecked.map { Masking.text($0) }
        title = trace["title"].map { Masking.text($0) }
        source = trace["source"].map { Masking.text($0) }
        steps = report.steps.map { step in
            var verdict = "same"
            var differences: [Difference] = []
            switch step.verdict {
            case .same: break
            case .elsewhere: verdict = "elsewhere"
            case .notInLog: verdict = "notInLog"
            case .differentData(let found):
                verdict = "differentData"
                differences = found.map {
                    Difference(
                        tag: "\($0.tag)", logged: Masking.hex($0.tag, $0.logged),
                        replayed: Masking.hex($0.tag, $0.replayed))
                }
            }
            return Step(
                line: step.line, command: Masking.text(CommandDescription.summary(step.command)),
                status: Masking.text(step.answerWords),
                verdict: verdict,
                differences: differences)
        }
        explanation = ExplanationText(Explanation(trace)).conversation.map {
            String(repeating: "  ", count: $0.depth) + $0.text
        }
        notSent = report.unused.map { Masking.text(CommandDescription.summary($0.command)) }
        assumptions = report.assumptions.map { Masking.text($0) }
        phases = report.phases.map { Phase(phase: $0.phase, result: Masking.text($0.summary)) }
        presentations = report.presentations.map { Presentation($0) }
        self.evidence = evidence.map { Proof($0) }
        loggedOutcome = report.logged.summary
        replayedOutcome = report.replayed?.summary
        notReplayed = report.obstacle.map { Masking.text("\($0)") }
        tvr = report.result(.terminalVerificationResults)?.hex
        tsi = report.result(.transactionStatusInformation)?.hex
        cvmResults = report.result(.cvmResults)?.hex
        isCutShort = report.isCutShort
        endsAlike = report.endsAlike && !report.isCutShort
    }

    public func json() throws -> String { try JSONText.of(self) }

    /// The transactions of one log, in order.
    public static func json(_ transactions: [ReplayDocument]) throws -> String {
        try JSONText.of(["transactions": transactions])
    }
}

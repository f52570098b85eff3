import Bytes
import CardCapture
import CardProfiles
import EMVKernel
import Reports
import TLV

/// Compares the outcome of a case with the expected result.
enum PlanJudgement {
    static func differences(
        _ expectation: CardExpectation, _ outcome: Outcome, method: CardExpectation.DataAuthentication?
    ) -> [PlanReport.Difference] {
        let method = method ?? CardExpectation.DataAuthentication.none
        return Found(
            verdict: CardExpectation.Verdict(outcome.decision), words: outcome.decision.summary, tvr: outcome.tvr,
            cvmResults: outcome.cvmResults, application: outcome.data.card[.dfName],
            requiresReversal: outcome.requiresReversal
        ).differences(expectation)
            + difference(
                "data authentication", expected: expectation.dataAuthentication, found: method, words: \.rawValue)
    }

    /// Of a tap.
    static func differences(_ expectation: CardExpectation, _ outcome: CaptureOutcome) -> [PlanReport.Difference] {
        let data = outcome.card?.chip?.elements
        return Found(
            verdict: CardExpectation.Verdict(outcome.decision), words: outcome.decision.words,
            tvr: data?[.terminalVerificationResults].flatMap(TerminalVerificationResults.init),
            cvmResults: data?[.cvmResults].flatMap(CVMResults.init), application: data?[.dfName],
            requiresReversal: outcome.requiresReversal
        ).differences(expectation)
    }

    /// How a case ended.
    private struct Found {
        let verdict: CardExpectation.Verdict
        let words: String
        let tvr: TerminalVerificationResults?
        let cvmResults: CVMResults?
        let application: [UInt8]?
        let requiresReversal: Bool

        func differences(_ expected: CardExpectation) -> [PlanReport.Difference] {
            var differences: [PlanReport.Difference] = []
            if verdict != expected.verdict {
                differences.append(
                    PlanReport.Difference(what: "verdict", expected: expected.verdict.rawValue, found: words))
            }
            differences += difference("TVR", expected: expected.tvr, found: tvr) {
                ([$0.bytes.hex] + $0.meanings).joined(separator: "; ")
            }
            differences += difference(
                "CVM results", expected: expected.cvmResults, found: cvmResults, words: \.bytes.hex)
            differences += difference("application", expected: expected.aid, found: application, words: \.hex)
            differences += difference("reversal", expected: expected.reversal, found: requiresReversal) {
                $0 ? "required" : "not required"
            }
            if let part = expected.termination, !words.contains(part) {
                differences.append(PlanReport.Difference(what: "termination", expected: part, found: words))
            }
            return differences
        }
    }

    private static func difference<Value: Equatable>(
        _ what: String, expected: Value?, found: Value?, words: (Value) -> String
    ) -> [PlanReport.Difference] {
        guard let expected, expected != found else { return [] }
        return [PlanReport.Difference(what: what, expected: words(expected), found: found.map(words) ?? "none")]
    }
}

extension CardExpectation.Verdict {
    fileprivate init(_ decision: CaptureOutcome.Decision) {
        self =
            switch decision {
            case .approvedOffline: .approvedOffline
            case .approvedOnline: .approvedOnline
            case .declinedOffline: .declinedOffline
            case .declinedOnline: .declinedOnline
            case .notPossible: .terminated
            }
    }
}

extension CaptureOutcome.Decision {
    fileprivate var words: String {
        switch self {
        case .approvedOffline: "approved offline"
        case .approvedOnline: "approved online"
        case .declinedOffline: "declined offline"
        case .declinedOnline: "declined online"
        case .notPossible(let obstacle): "terminated: \(obstacle)"
        }
    }
}

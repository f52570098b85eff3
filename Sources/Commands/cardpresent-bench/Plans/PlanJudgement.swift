import Bytes
import CardProfiles
import EMVKernel
import Reports
import TLV

/// Compares the outcome of a case with the expected result.
enum PlanJudgement {
    static func differences(
        _ expectation: CardExpectation, _ outcome: Outcome, method: CardExpectation.DataAuthentication?
    ) -> [PlanReport.Difference] {
        var differences: [PlanReport.Difference] = []
        func compare<Value: Equatable>(_ what: String, expected: Value?, found: Value?, words: (Value) -> String) {
            guard let expected, expected != found else { return }
            differences.append(
                PlanReport.Difference(what: what, expected: words(expected), found: found.map(words) ?? "none"))
        }
        let verdict = CardExpectation.Verdict(outcome.decision)
        if verdict != expectation.verdict {
            differences.append(
                PlanReport.Difference(what: "verdict", expected: expectation.verdict.rawValue, found: outcome.decision.summary))
        }
        compare("TVR", expected: expectation.tvr, found: outcome.tvr) { ([$0.bytes.hex] + $0.meanings).joined(separator: "; ") }
        compare("CVM results", expected: expectation.cvmResults, found: outcome.cvmResults) { $0.bytes.hex }
        compare("data authentication", expected: expectation.dataAuthentication, found: method ?? CardExpectation.DataAuthentication.none) {
            $0.rawValue
        }
        compare("application", expected: expectation.aid, found: outcome.data.card[.dfName]) { $0.hex }
        compare("reversal", expected: expectation.reversal, found: outcome.requiresReversal) { $0 ? "wanted" : "not wanted" }
        if let words = expectation.termination, !outcome.decision.summary.contains(words) {
            differences.append(PlanReport.Difference(what: "termination", expected: words, found: outcome.decision.summary))
        }
        return differences
    }
}

public import CardCryptography
import EMVKernel
public import EMVReplay
public import SmartCard
import TLV

extension Explanation {
    /// - Parameters:
    ///   - caKeys: Used to check certificates and signatures.
    ///   - issuer: Used to recompute cryptograms.
    ///   - unread: The parts that were skipped when the log was read.
    ///   - isRedacted: Whether card data are hidden. A PIN always is.
    public init(
        _ trace: APDUTrace, caKeys: [CAPublicKey] = [], issuer: IssuerKeyMaterial? = nil, unread: [Oddity] = [],
        isRedacted: Bool = true
    ) {
        // Of kernel 8, with the terminal's private key.
        let plain = trace.decipheredRecords
        let transaction = LoggedTransaction(plain ?? trace)
        // Hidden data of a log cannot be used in computations.
        let evidence = trace.hasHiddenDigits ? [] : Evidence.examine(trace, caKeys: caKeys, issuer: issuer)
        func shown(_ text: String) -> String { isRedacted ? Masking.text(text) : Masking.plain(text) }
        let groups = PhaseGroups(trace, plain: plain, transaction, isRedacted: isRedacted)
        let judgement = Judgement(transaction, evidence, trace)
        title = trace["title"].map(shown)
        source = trace["source"].map(shown)
        remarks = trace.metadata.filter { Self.remarkNames.contains($0.name) }.map { Fact($0.name, shown($0.value)) }
        let verdict = judgement.verdict
        self.verdict = Verdict(
            outcome: verdict.outcome, sentence: shown(verdict.sentence), reasons: verdict.reasons.map(shown))
        facts = TransactionFacts(transaction, isRedacted: isRedacted).rows.map { fact in
            Fact(fact.name, shown(fact.value), meanings: fact.meanings.map(shown))
        }
        oddities = Oddities(trace, transaction: transaction, evidence: evidence, unread: unread, groups: groups).found
            .map { oddity in
                Oddity(line: oddity.line, text: shown(oddity.text))
            }
        self.evidence = evidence.map { Proof(subject: $0.subject, state: $0.state, detail: shown($0.detail)) }
        phases = groups.phases(PhaseConclusions(transaction, evidence)).map { phase in
            Phase(phase, conclusions: phase.conclusions.map(shown))
        }
        let times = phases.flatMap(\.steps).flatMap { [$0.start, $0.end].compactMap { $0 } }
        duration = times.max().flatMap { last in times.min().map { last - $0 } }
        let hasHost = trace.entries.contains { if case .host = $0.event { true } else { false } }
        issuerIsInferred = transaction.second != nil && !transaction.isUnableToGoOnline && !hasHost
        self.isRedacted = isRedacted
    }

    /// Names in the head of a log whose values are for people, without keys and data for replay
    /// only.
    private static let remarkNames = ["reason", "expect", "verdict", "note"]
}

extension Evidence {
    fileprivate var state: Explanation.Proof.State {
        switch result {
        case .verified: .proved
        case .failed: .disproved
        case .notChecked: .notChecked
        }
    }
}

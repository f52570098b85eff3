public import EMVKernel
internal import TLV

extension CardFinding {
    /// The kernel's findings in a transaction with a cryptogram but without an issuer: a card that
    /// ends it, and failed signatures.
    public static func ofTransaction(_ events: [KernelEvent], _ outcome: Outcome) -> [CardFinding] {
        let place = Place(application: outcome.data.terminal[.applicationIdentifierTerminal])
        var findings: [CardFinding] = []
        for event in events {
            switch event {
            case .combinedSignature(let failure?):
                findings.append(
                    CardFinding(
                        .signature, severity: .error, place: place,
                        summary: "the signature on the cryptogram does not verify: \(failure)",
                        source: "EMV 4.4 Book 2, 6.6.2 and 12.5"))
            default: break
            }
        }
        if case .terminated(let reason) = outcome.decision {
            findings.append(
                CardFinding(
                    .transaction, severity: .error, place: place, summary: "the transaction was terminated: \(reason)",
                    source: "EMV 4.4 Book 3, 8.1"))
        }
        return findings
    }
}

import EMVKernel
import EMVReplay
import SmartCard
import TLV

/// How a transaction ended, and the reasons.
struct Judgement {
    let verdict: Explanation.Verdict

    init(_ transaction: LoggedTransaction, _ evidence: [Evidence], _ trace: APDUTrace) {
        let (outcome, how) = Self.outcome(transaction, trace)
        let amount = transaction.sent(.amountAuthorised).flatMap {
            ValueDescription.lines(.amountAuthorised, $0, in: transaction.context).first
        }
        let name = transaction.cardName
        let who = [name.isEmpty ? nil : name, amount].compactMap { $0 }.joined(separator: ", ")
        let conclusions = PhaseConclusions(transaction, evidence)
        verdict = Explanation.Verdict(
            outcome: outcome, sentence: (who.isEmpty ? "The transaction" : who) + ": \(how).", reasons: conclusions.reasons)
    }

    private static func outcome(_ transaction: LoggedTransaction, _ trace: APDUTrace) -> (Explanation.Outcome, String) {
        guard let first = transaction.first, let answer = first.answer else {
            if transaction.isVisaMagstripe, transaction.card.contains(.track2EquivalentData) {
                return (.wentOnline, "the card gave its track in mag-stripe mode (MSD), and the log ends there")
            }
            return transaction.hasChecksum
                ? (.wentOnline, "the card gave a code for its track (CVC3), and the log ends there") : (.ended, ending(trace))
        }
        guard let second = transaction.second else {
            switch answer.information.type {
            case .tc: return (.approved, "approved offline by the card")
            case .aac:
                let isTerminals = first.requested == .aac
                return (
                    .declined,
                    isTerminals
                        ? "declined offline by the terminal"
                        : "declined offline by the card, which was asked for \(first.requested?.name ?? "a cryptogram")"
                )
            case .arqc: return (.wentOnline, "the card asked for the issuer, and the log ends there")
            case nil: return (.ended, "the card answered with a reserved type of cryptogram")
            }
        }
        let isOffline = transaction.isUnableToGoOnline
        switch second.answer?.information.type {
        case .tc: return (.approved, isOffline ? "approved by the card, the issuer being unreachable" : "approved online")
        case .aac where second.requested == .tc:
            return (
                .declined,
                isOffline
                    ? "declined by the card, the issuer being unreachable"
                    : "declined by the card although the terminal asked it to approve"
            )
        case .aac: return (.declined, isOffline ? "declined by the terminal, the issuer being unreachable" : "declined online")
        case .arqc, nil:
            return (
                .ended,
                "ended without a second cryptogram: GENERATE AC was answered \(second.exchange.response.status) \(second.exchange.response.status.summary)"
            )
        }
    }

    /// How the log ends if there is no cryptogram.
    private static func ending(_ trace: APDUTrace) -> String {
        for entry in trace.entries.reversed() {
            switch entry.event {
            case .exchange(let exchange):
                let status = exchange.response.status
                let meaning = status.meaning(for: exchange.command) ?? status.summary
                return "ended before a cryptogram, at \(CommandDescription.summary(exchange.command)), answered \(status): \(meaning)"
            case .unanswered(let command): return "ended before a cryptogram: \(CommandDescription.summary(command)) got no answer"
            default: continue
            }
        }
        return "no command was answered"
    }
}

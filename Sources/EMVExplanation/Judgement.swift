import EMVKernel
import EMVReplay
import SmartCard
import TLV

/// How a transaction ended, and the reasons.
struct Judgement {
    let verdict: Explanation.Verdict

    init(_ transaction: LoggedTransaction, _ evidence: [Evidence], _ trace: APDUTrace) {
        let (outcome, how) = Self.outcome(transaction, evidence, trace)
        let amount = transaction.sent(.amountAuthorised).flatMap {
            ValueDescription.lines(.amountAuthorised, $0, in: transaction.context).first
        }
        let name = transaction.cardName
        let who = [name.isEmpty ? nil : name, amount].compactMap { $0 }.joined(separator: ", ")
        let conclusions = PhaseConclusions(transaction, evidence)
        verdict = Explanation.Verdict(
            outcome: outcome, sentence: (who.isEmpty ? "The transaction" : who) + ": \(how).", reasons: conclusions.reasons)
    }

    private static func outcome(
        _ transaction: LoggedTransaction, _ evidence: [Evidence], _ trace: APDUTrace
    ) -> (Explanation.Outcome, String) {
        guard let first = transaction.first, let answer = first.answer else {
            if transaction.isVisaMagstripe, transaction.card.contains(.track2EquivalentData) {
                return (.wentOnline, "the card gave its track in mag-stripe mode (MSD), and the log ends there")
            }
            return transaction.hasChecksum
                ? (.wentOnline, "the card gave a code for its track (CVC3), and the log ends there") : (.ended, ending(trace))
        }
        guard let second = transaction.second else {
            return only(answer.information.type, asked: first.requested, of: transaction, evidence, trace)
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

    /// How a transaction with one cryptogram ended. With contacts the card's word is the last one; a
    /// tap is decided by the terminal after the card has left, and by the issuer.
    private static func only(
        _ type: CryptogramType?, asked: CryptogramType?, of transaction: LoggedTransaction, _ evidence: [Evidence], _ trace: APDUTrace
    ) -> (Explanation.Outcome, String) {
        let isTap = transaction.interface == .contactless
        switch type {
        case .tc:
            guard isTap else { return (.approved, "approved offline by the card") }
            if let wrong = evidence.first(where: { $0.kind == .dataAuthentication && $0.isDisproved }) {
                return (.declined, "the card approved offline (TC), and a terminal declines: \(wrong.subject) is wrong")
            }
            if saysNoPayment(trace) { return (.declined, "the card approved offline (TC), and the terminal declined") }
            return issuersWord(trace) ?? (.approved, "approved offline by the card")
        case .aac:
            guard asked != .aac else {
                let contacts = isTap && !saysDeclined(trace) ? ", which may send the card to its contacts" : ""
                return (.declined, "declined offline by the terminal\(contacts)")
            }
            return (.declined, "declined offline by the card" + (asked.map { ", which was asked for \($0.name)" } ?? ""))
        case .arqc:
            if let word = issuersWord(trace) { return word }
            return (
                .wentOnline,
                isTap
                    ? "the card asked for the issuer, whose answer the log does not show"
                    : "the card asked for the issuer, and the log ends there"
            )
        case nil: return (.ended, "the card answered with a reserved type of cryptogram")
        }
    }

    /// What the issuer answered, in a log of ours that has the host's messages.
    private static func issuersWord(_ trace: APDUTrace) -> (Explanation.Outcome, String)? {
        let answers = trace.entries.compactMap { entry -> String? in
            guard case .host(let message) = entry.event, message.direction == .received else { return nil }
            return message.text
        }
        guard let answer = answers.last, let range = answer.firstRange(of: "response code ") else { return nil }
        let code = String(answer[range.upperBound...].prefix { $0.isLetter || $0.isNumber })
        return ResponseCodes().approves(code)
            ? (.approved, "approved online: the issuer answered \(code)") : (.declined, "declined online: the issuer answered \(code)")
    }

    /// Whether the terminal of a log of ours says that there was no payment.
    private static func saysNoPayment(_ trace: APDUTrace) -> Bool {
        saysDeclined(trace) || trace["verdict"]?.hasPrefix("no payment") ?? false
    }

    private static func saysDeclined(_ trace: APDUTrace) -> Bool { trace["verdict"]?.hasPrefix("declined") ?? false }

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

import EMVKernel
import EMVReplay
import SmartCard
import TLV

/// How a transaction ended, and the reasons.
struct Judgement {
    let verdict: Explanation.Verdict

    init(_ transaction: LoggedTransaction, _ evidence: [Evidence], _ trace: APDUTrace) {
        let conclusions = PhaseConclusions(transaction, evidence)
        let (outcome, how) = Self.outcome(of: transaction, evidence, conclusions, in: trace)
        let amount = transaction.sent(.amountAuthorised).flatMap {
            ValueDescription.lines(.amountAuthorised, $0, in: transaction.context).first
        }
        let name = transaction.cardName
        let who = [name.isEmpty ? nil : name, amount].compactMap { $0 }.joined(separator: ", ")
        verdict = Explanation.Verdict(
            outcome: outcome, sentence: (who.isEmpty ? "The transaction" : who) + ": \(how).",
            reasons: conclusions.reasons)
    }

    private static func outcome(
        of transaction: LoggedTransaction, _ evidence: [Evidence], _ conclusions: PhaseConclusions, in trace: APDUTrace
    ) -> (Explanation.Outcome, String) {
        guard let first = transaction.first, let answer = first.answer else {
            let given =
                transaction.hasChecksum
                ? "the card gave a code for its track (CVC3)"
                : transaction.isVisaMagstripe && transaction.card.contains(.track2EquivalentData)
                    ? "the card gave its track in mag-stripe mode (MSD)" : nil
            guard let given else { return (.ended, ending(trace)) }
            return issuersWord(trace) ?? terminalsWord(trace, after: given) ?? (
                .wentOnline, given + ", and the log ends there"
            )
        }
        guard let second = transaction.second else {
            return only(answer.information, asked: first.requested, of: transaction, evidence, conclusions, in: trace)
        }
        let isOffline = transaction.isUnableToGoOnline
        switch second.answer?.information.type {
        case .tc:
            return (.approved, isOffline ? "approved by the card, the issuer being unreachable" : "approved online")
        case .aac where second.requested == .tc:
            let words =
                isOffline
                ? "declined by the card, the issuer being unreachable"
                : "declined by the card although the terminal asked it to approve"
            let isWrong = evidence.contains { $0.kind == .issuerAnswer && $0.isDisproved }
            return (.declined, words + (isWrong ? ": the ARPC that it was given is not the issuer's" : ""))
        case .aac:
            guard !isOffline else { return (.declined, "declined by the terminal, the issuer being unreachable") }
            return (
                .declined,
                "declined online" + (transaction.responseCode.map { ": the issuer answered \(words(of: $0))" } ?? "")
            )
        case .arqc, nil:
            return (
                .ended,
                "ended without a second cryptogram: GENERATE AC was answered \(second.exchange.response.status) \(second.exchange.response.status.summary)"
            )
        }
    }

    /// How a transaction with one cryptogram ended. With contacts the card's word is the last one;
    /// a tap is decided by the terminal after the card has left, and by the issuer.
    private static func only(
        _ information: CryptogramInformationData, asked: CryptogramType?, of transaction: LoggedTransaction,
        _ evidence: [Evidence],
        _ conclusions: PhaseConclusions, in trace: APDUTrace
    ) -> (Explanation.Outcome, String) {
        let isTap = transaction.interface == .contactless
        switch information.type {
        case .tc:
            guard isTap else { return (.approved, "approved offline by the card") }
            let given = "the card approved offline (TC)"
            return issuersWord(trace) ?? terminalsWord(trace, after: given) ?? refusal(evidence, after: given)
                ?? (.approved, "approved offline by the card")
        case .aac:
            guard asked != .aac else {
                var words = "declined offline by the terminal"
                if isTap {
                    if case .declined(let reason?) = trace.terminalWord { return (.declined, words + ": " + reason) }
                    if case .noPayment(let reason) = trace.terminalWord {
                        return (.declined, words + ": " + (reason ?? "it made no payment"))
                    }
                    if trace.terminalWord == nil { words += ", which may send the card to its contacts" }
                }
                return (
                    .declined,
                    words + (conclusions.causes.isEmpty ? "" : ": " + conclusions.causes.joined(separator: "; "))
                )
            }
            let reasons = [
                [.none, .reserved].contains(information.reason) ? nil : information.reason.summary,
                isTap ? terminalsReason(trace) : nil,
            ]
            return (
                .declined,
                (["declined offline by the card" + (asked.map { ", which was asked for \($0.name)" } ?? "")]
                    + reasons.compactMap { $0 })
                    .joined(separator: ": ")
            )
        case .arqc:
            let given = "the card asked for the issuer"
            return issuersWord(trace) ?? terminalsWord(trace, after: given)
                ?? (isTap ? refusal(evidence, after: given) : nil)
                ?? (
                    .wentOnline,
                    given
                        + (isTap || trace.hostDecision != .notAsked
                            ? ", whose answer the log does not show" : ", and the log ends there")
                )
        case nil: return (.ended, "the card answered with a reserved type of cryptogram")
        }
    }

    /// What the issuer answered, in a log of ours that has the host's messages.
    private static func issuersWord(_ trace: APDUTrace) -> (Explanation.Outcome, String)? {
        guard case .answered(let code) = trace.hostDecision else { return nil }
        return ResponseCodes().approves(code)
            ? (.approved, "approved online: the issuer answered \(code)")
            : (.declined, "declined online: the issuer answered \(words(of: code))")
    }

    /// Why the terminal of a log of ours made no payment of what the card gave.
    private static func terminalsWord(_ trace: APDUTrace, after given: String) -> (Explanation.Outcome, String)? {
        switch trace.terminalWord {
        case .declined(let reason):
            (.declined, "\(given), and the terminal declined" + (reason.map { ": \($0)" } ?? ""))
        case .noPayment(let reason):
            (.declined, "\(given), and the terminal made no payment" + (reason.map { ": \($0)" } ?? ""))
        case nil: nil
        }
    }

    /// A terminal takes no card whose signature is wrong, whatever the card says.
    private static func refusal(_ evidence: [Evidence], after given: String) -> (Explanation.Outcome, String)? {
        guard let wrong = evidence.first(where: { $0.kind == .dataAuthentication && $0.isDisproved }) else {
            return nil
        }
        return (.declined, "\(given), and a terminal declines: \(wrong.subject) is wrong (\(wrong.detail))")
    }

    /// `51: not sufficient funds`.
    private static func words(of responseCode: String) -> String {
        ValueDescription.lines(.authorisationResponseCode, Array(responseCode.utf8)).first ?? responseCode
    }

    /// How the log ends if there is no cryptogram.
    private static func ending(_ trace: APDUTrace) -> String {
        [lastAnswer(trace), terminalsReason(trace)].compactMap { $0 }.joined(separator: ": ")
    }

    private static func lastAnswer(_ trace: APDUTrace) -> String {
        for entry in trace.entries.reversed() {
            switch entry.event {
            case .exchange(let exchange):
                let status = exchange.response.status
                let command = CommandDescription.summary(exchange.command)
                guard status != .success else { return "the log ends after \(command), before a cryptogram" }
                let meaning = status.meaning(for: exchange.command) ?? status.summary
                return "ended before a cryptogram, at \(command), answered \(status): \(meaning)"
            case .unanswered(let command):
                return "ended before a cryptogram: \(CommandDescription.summary(command)) got no answer"
            default: continue
            }
        }
        return "no command was answered"
    }

    private static func terminalsReason(_ trace: APDUTrace) -> String? {
        switch trace.terminalWord {
        case .declined(let reason), .noPayment(let reason): reason
        case nil: nil
        }
    }
}

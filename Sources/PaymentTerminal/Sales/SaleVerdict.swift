import CardReaders
import EMVKernel

/// What a sale comes to when card and host have spoken, and what the host must be told for it.
struct SaleVerdict {
    let outcome: SaleResponse.Outcome
    let completion: Completion.Result?

    /// The verdict for a card that was read.
    ///
    /// The card's decision stands; the host is made to agree with it. A reader that reports an online approval without an answer of the host is
    /// not believed.
    ///
    /// - Parameters:
    ///   - request: what the host would have been asked for the card as it is at the end, with its last cryptogram; nil if the reader gave no card.
    ///     Without one nobody could settle the sale, so it is not approved.
    ///   - responseCodes: which answers of the host approve.
    init(
        _ capture: CaptureOutcome, _ exchange: HostExchange.State, request: AuthorizationRequest?, responseCodes: ResponseCodes
    ) {
        let finished = capture.card?.chip.map { Completion.Result.finished(chipData: $0.field55(for: .advice)) }
        var hostApproves = false
        if case .answered(let response) = exchange { hostApproves = responseCodes.approves(response.issuer.responseCode) }
        let settled = capture.reversalWanted ? nil : request
        switch (capture.decision, exchange, settled) {
        case (.approvedOnline, .answered, .some) where hostApproves:
            self.init(outcome: .approved, completion: finished)
        case (.approvedOffline, .notAsked, .some(let request)), (.approvedOffline, .unanswered, .some(let request)):
            self.init(outcome: .approved, completion: .approvedOffline(request))
        case (.approvedOnline, .unanswered, _):
            self.init(outcome: .unknown, completion: .reversed(.noHostAnswer))
        case (_, .answered, _):
            self.init(outcome: .declined, completion: hostApproves ? .reversed(.cardDeclined) : finished)
        case (_, .unanswered, _):
            self.init(outcome: .declined, completion: .reversed(.noHostAnswer))
        case (_, .notAsked, _), (_, .refused, _):
            self.init(outcome: .declined, completion: nil)
        }
    }

    init(outcome: SaleResponse.Outcome, completion: Completion.Result?) {
        self.outcome = outcome
        self.completion = completion
    }
}

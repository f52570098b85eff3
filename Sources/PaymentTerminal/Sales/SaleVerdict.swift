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
    /// - Parameter request: what the host would have been asked for the card as it is at the end, with its last cryptogram.
    init(_ capture: CaptureOutcome, _ exchange: HostExchange.State, request: AuthorizationRequest?) {
        let finished = capture.card?.chip.map { Completion.Result.finished(chipData: $0.field55(for: .advice)) }
        switch (capture.decision, exchange) {
        case (.approvedOnline, .answered(let response)) where response.isApproved && !capture.reversalWanted:
            self.init(outcome: .approved, completion: finished)
        case (.approvedOffline, .notAsked) where !capture.reversalWanted, (.approvedOffline, .unanswered) where !capture.reversalWanted:
            self.init(outcome: .approved, completion: request.map { .approvedOffline($0) })
        case (.approvedOnline, .unanswered):
            self.init(outcome: .unknown, completion: .reversed(.noHostAnswer))
        case (_, .answered(let response)):
            self.init(outcome: .declined, completion: response.isApproved ? .reversed(.cardDeclined) : finished)
        case (_, .unanswered):
            self.init(outcome: .declined, completion: .reversed(.noHostAnswer))
        case (_, .notAsked), (_, .refused):
            self.init(outcome: .declined, completion: nil)
        }
    }

    init(outcome: SaleResponse.Outcome, completion: Completion.Result?) {
        self.outcome = outcome
        self.completion = completion
    }
}

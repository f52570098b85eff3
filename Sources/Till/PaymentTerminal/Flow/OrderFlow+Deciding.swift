import CardCapture
import Contactless

/// The part of the flow from the card's decision to the answer for the caller.
extension OrderFlow {
    /// Ends the reader's part. A write that is in progress comes to its end first; there are no
    /// later ones of that part.
    mutating func readerEnds(_ end: (inout OrderFlow) -> Effect) -> Effect {
        switch step {
        case .writing, .signing, .lookingUp, .over:
            isReaderDone = true
            return .wait
        case .reading, .asking, .calling, .booking:
            isReaderDone = true
            return end(&self)
        }
    }

    // MARK: The decision

    mutating func decide(_ decision: CardDecision) -> Effect {
        let capture = decision.capture
        if case .registration(let isVerified) = request {
            return register(capture, decision.refusal, isVerified: isVerified)
        }
        // A card that approves offline has asked for nothing; the final data of one that asked may
        // be others.
        if let refusal = decision.refusal { return abandon(because: refusal) }
        if case .refused(let error) = exchange { return drop(because: TerminalError(error)) }
        if decision.isCancelled { return abandon(because: .cancelled) }
        if decision.isListed { rules.deferrable = [] }
        order.entry.cardDigest = decision.digest
        let request = capture.card.flatMap { authorization(.captured($0)) }
        var card = CapturedCardView(capture)
        card.fieldsNotSent = notSent
        var decided = Decision(
            verdict: PaymentVerdict(capture, exchange, request: request, rules), card: card, reason: nil)
        if capture.requiresSignature, decided.verdict.isTaken {
            step = .signing(decided)
            return .requestSignature(card)
        }
        if case .notCarried? = referralFailure { decided.card?.fieldsNotSent.insert(.referralApproval) }
        decided.reason = reason(of: decided.verdict, capture.declineReason, isListed: decision.isListed)
        return checkAdvice(decided)
    }

    mutating func signed(_ signature: Signature?) -> Effect {
        guard case .signing(var decided) = step else { return .wait }
        decided.card?.signature = signature
        guard signature != nil, decided.verdict.isSignedAfterDecision else { return checkAdvice(decided) }
        step = .lookingUp(.signature, decided)
        return .lookUp(.signature)
    }

    mutating func notSigned(_ cause: ReversalReason) -> Effect {
        guard case .signing(var decided) = step else { return .wait }
        decided.verdict = .undone(cause, after: exchange, rules)
        if decided.verdict.outcome == .declined {
            decided.reason = "the cardholder did not sign: nothing is charged"
        }
        return checkAdvice(decided)
    }

    /// Whether the advice of a decline can be sent later. An unreachable host is not asked: the
    /// sale does not wait, and in the background the host refuses an advice that it does not
    /// support.
    private mutating func checkAdvice(_ decided: Decision) -> Effect {
        guard case .declineAdvice = decided.verdict.due else { return conclude(decided) }
        if case .unreachable = exchange { return conclude(decided) }
        step = .lookingUp(.declineAdvice, decided)
        return .lookUp(.declineAdvice)
    }

    mutating func lookedUp(_ isCarried: Bool) -> Effect {
        guard case .lookingUp(let field, var decided) = step else { return .wait }
        switch field {
        case .signature where isCarried: decided.verdict.due = decided.verdict.due ?? .confirmation(chipData: [])
        case .declineAdvice where !isCarried: decided.verdict.due = nil
        default: break
        }
        if !isCarried { decided.card?.fieldsNotSent.insert(field) }
        return field == .declineAdvice ? conclude(decided) : checkAdvice(decided)
    }

    /// The text for the operator; with the cure, if it is at the host's address, certificate or
    /// network.
    private func reason(of verdict: PaymentVerdict, _ why: ContactlessReason?, isListed: Bool) -> String? {
        switch (verdict.outcome, exchange) {
        case (.declined, .unreachable(let error)):
            let away = error.fault == nil ? "the host is unreachable" : error.message
            if isListed { return "the card is on the exception file and \(away): take another payment" }
            return error.fault == nil
                ? "\(away): try again later, or take another payment" : "\(away), or take another payment"
        case (.declined, .notAsked):
            if let why, why != .cardDeclined { return "declined by the terminal: \(why)" }
        default: break
        }
        return referralFailure?.summary
    }

    // MARK: Requests without a reader

    /// Only the host decides.
    mutating func endWithAnswer() -> Effect {
        guard case .answered(let answer) = exchange else {
            return conclude(Decision(verdict: .unknown(.noHostAnswer), card: givenCard))
        }
        var decided = Decision(
            verdict: PaymentVerdict(answer, rules), card: givenCard, reason: referralFailure?.summary)
        if case .notCarried? = referralFailure { decided.card?.fieldsNotSent.insert(.referralApproval) }
        return conclude(decided)
    }

    mutating func endWithoutAnswer(_ error: HostError) -> Effect {
        switch exchange {
        case .unanswered, .answered:
            return conclude(Decision(verdict: .unknown(.noHostAnswer), card: givenCard))
        case .taken: return conclude(Decision(verdict: .taken, card: givenCard, reason: error.message))
        case .notAsked, .unreachable, .refused:
            if let obstacle { return drop(because: obstacle) }
            // What was to be authorised later must not be authorised twice: only what never left is
            // stored.
            if case .unreachable = exchange, let request = givenRequest, rules.defers(request) {
                return conclude(
                    Decision(
                        verdict: PaymentVerdict(outcome: .storedOffline, due: .authorization(request)), card: givenCard)
                )
            }
            return drop(because: TerminalError(error))
        }
    }

    private var givenCard: CapturedCardView {
        var view = CapturedCardView()
        if case .payment(let payment, _) = request { view = CapturedCardView(payment.source) }
        view.fieldsNotSent = notSent
        return view
    }

    private var givenRequest: AuthorizationRequest? {
        guard case .payment(let payment, _) = request else { return nil }
        return payment.givenCard.flatMap { authorization($0) }
    }

    // MARK: A payment that comes to nothing

    /// Ends a payment that the reader did not complete, or whose card is refused. Nothing has
    /// happened unless the host was asked.
    mutating func abandon(because error: TerminalError) -> Effect {
        if case .registration = request { return end(.failure(error)) }
        guard !exchange.isWithoutEffect else { return drop(because: error) }
        return conclude(
            Decision(
                verdict: .undone(.terminalTerminated, after: exchange, rules), card: nil, reason: error.message))
    }

    /// Ends an order without an effect at the host.
    private mutating func drop(because error: TerminalError) -> Effect {
        guard order.keeping == .journaled else { return end(.failure(error)) }
        return write(.nothing(error)) {
            $0.stage = .finished
            $0.answer = nil
        }
    }

    /// If the journal does not work, the end is written as soon as it does: until then the order
    /// and its key are free.
    mutating func nothingWritten(_ cause: TerminalError, _ error: TerminalError?) -> Effect {
        guard error != nil else { return end(.failure(cause)) }
        order.entry.stage = .finished
        order.entry.answer = nil
        return end(.failure(cause), open: .unwritten)
    }

    // MARK: The outcome

    private mutating func conclude(_ decided: Decision) -> Effect {
        var answer: AuthorizationResponse?
        if case .answered(let given) = exchange { answer = given }
        let (verdict, entry) = (decided.verdict, order.entry)
        var response = PaymentResponse(
            entry, verdict, answer: answer, card: decided.card, reason: decided.reason, at: configuration)
        if case .unreachable(let error) = exchange { response.hostFault = error.fault }
        return write(.outcome(decided)) { $0.conclude(verdict, response, answer) }
    }

    mutating func outcomeWritten(_ decided: Decision, _ error: TerminalError?) -> Effect {
        if let error { return endUnwritten(decided.verdict, because: error) }
        guard let response = order.entry.response else { preconditionFailure("the order has no outcome") }
        guard order.entry.stage == .owing else { return end(.success(response)) }
        var isInDoubt = false
        if case .unanswered = exchange { isInDoubt = true }
        return end(.success(response), open: .written, isInDoubt: isInDoubt)
    }

    /// Ends an order whose outcome the journal could not write. A failed write may still exist
    /// after a restart, so nothing is undone at the host before the journal has it: the outcome is
    /// unknown until then.
    ///
    /// - Parameter intended: The outcome that could not be written.
    private mutating func endUnwritten(_ intended: PaymentVerdict, because error: TerminalError) -> Effect {
        var verdict = PaymentVerdict.unknown(.terminalTerminated)
        var answer: AuthorizationResponse?
        switch exchange {
        // A payment that should be stored may still be stored, and a later process would send it.
        case .notAsked, .unreachable, .refused:
            guard intended.outcome == .storedOffline else {
                order.entry.stage = .finished
                return end(.failure(error), open: order.keeping == .journaled ? .unwritten : nil)
            }
        case .taken: verdict = .taken
        case .answered(let given): answer = given
        case .unanswered: break
        }
        let response = PaymentResponse(
            order.entry, verdict, answer: nil, card: nil, reason: error.message, at: configuration)
        order.entry.conclude(verdict, response, answer)
        return end(.success(response), open: .unwritten)
    }

    private mutating func end(
        _ result: Result<PaymentResponse, TerminalError>, open: End.Open? = nil, isInDoubt: Bool = false
    ) -> Effect {
        step = .over
        return .end(End(result: result, entry: order.entry, open: open, isInDoubt: isInDoubt))
    }

    // MARK: A card that is registered

    private mutating func register(_ capture: CaptureOutcome, _ refusal: TerminalError?, isVerified: Bool) -> Effect {
        if let refusal { return end(.failure(refusal)) }
        var verification: String?
        if isVerified {
            switch exchange {
            case .refused(let error), .taken(let error): return end(.failure(TerminalError(error)))
            case .notAsked where capture.decision == .declinedOffline,
                .answered where capture.decision != .approvedOnline:
                return end(
                    .failure(TerminalError(.cardDeclined, "the card was declined and not saved: use another card")))
            case .unreachable(let error) where error.fault != nil: return end(.failure(TerminalError(error)))
            case .notAsked, .unreachable:
                return end(
                    .failure(
                        TerminalError(
                            .hostFailed(.unreachable),
                            "the host could not be reached to verify the card: try again later")))
            case .unanswered:
                return end(
                    .failure(
                        TerminalError(
                            .hostFailed(.noAnswer),
                            "the host did not answer the verification of the card: try again later")))
            case .answered(let response): verification = response.uniqueReference
            }
        }
        guard let card = capture.card else {
            return end(.failure(TerminalError(.cardNotRead, "the reader gave no card data: try again")))
        }
        step = .over
        return .register(card, verification: verification)
    }
}

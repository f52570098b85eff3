import CardCapture
import EMVKernel

/// The part of the flow between card and host: the request, its answer, and a call to the issuer.
extension OrderFlow {
    // MARK: The request

    /// For the card, a refusal is a decline (`05`, do not honour), so that it does not approve
    /// offline what was refused.
    mutating func read(_ card: PaymentCard?, _ refusal: TerminalError?) -> Effect {
        guard case .reading = step, !isReaderDone, case .notAsked = exchange else { return .tellCard(cardsAnswer) }
        if let refusal {
            exchange = .refused(HostError(.cardRefused, refusal.message))
            return .tellCard(cardsAnswer)
        }
        // No host is asked: the chip ends the transaction as without one.
        if case .registration(isVerified: false) = request { return .tellCard(.unreachable) }
        if let card { order.entry.take(card) }
        return write(.request(card), isFirst: true) { $0.stage = .asking }
    }

    mutating func requestWritten(_ card: PaymentCard?, _ error: TerminalError?) -> Effect {
        step = .asking
        if let error {
            obstacle = error
            return failed(HostError(.unreachable, error.message))
        }
        guard !isReaderDone else { return failed(.operationOver) }
        exchange = .unanswered
        switch request {
        case .refund(let request): return .ask(.refund(request))
        case .capture(let request): return .ask(.capture(request))
        case .payment, .registration:
            guard let card, let authorization = authorization(card) else {
                return failed(HostError(.unreachable, "the reader gave no card"))
            }
            return .ask(.authorization(authorization))
        }
    }

    mutating func failed(_ error: HostError) -> Effect {
        guard case .asking = step else { return .tellCard(.unreachable) }
        exchange = HostExchange(error)
        step = .reading
        return hasReader ? .tellCard(cardsAnswer) : endWithoutAnswer(error)
    }

    mutating func answered(_ answer: AuthorizationResponse) -> Effect {
        guard case .asking = step, !isReaderDone else { return .tellCard(.unreachable) }
        guard order.entry.needsCard else { return receive(answer) }
        return write(.answer(answer)) {
            $0.stage = .answered
            $0.answer = answer
        }
    }

    mutating func answerWritten(_ answer: AuthorizationResponse, _ error: TerminalError?) -> Effect {
        step = .asking
        // Without the journal, an approval would be lost with the process: it is not passed to the
        // card. A decline needs no journal, and without it the card could approve alone what the
        // issuer has declined.
        if let error, rules.isHeld(answer) { return failed(HostError(.noAnswer, error.message)) }
        // A reader that was left behind hears nothing of what comes now.
        guard !isReaderDone else { return failed(.late) }
        return receive(answer)
    }

    private mutating func receive(_ answer: AuthorizationResponse) -> Effect {
        exchange = .answered(answer)
        step = .reading
        if hasReader { return .tellCard(.answered(answer.issuer)) }
        guard mayCallIssuer, rules.responseCodes.referral.contains(answer.issuer.responseCode), !rules.isHeld(answer)
        else { return endWithAnswer() }
        return call()
    }

    /// What a card hears that was not answered.
    private var cardsAnswer: IssuerAnswer {
        switch exchange {
        case .refused, .taken: .answered(IssuerAnswer.Answer(responseCode: "05"))
        case .notAsked, .unreachable, .unanswered, .answered: .unreachable
        }
    }

    // MARK: A call to the issuer (EMV 4.4 Book 4, 6.5.2.2)

    /// From the moment that the code may leave until the host has answered, the order is in doubt,
    /// also in the journal; until then nothing is authorized.
    mutating func call() -> Effect {
        // Once, and not after an approval: an approval code would be a second one.
        guard mayCallIssuer, case .reading = step, case .answered(let referral) = exchange, !isReaderDone,
            referralFailure == nil, !order.entry.isReferred, !rules.isHeld(referral)
        else { return .tellReader(.declined) }
        step = .calling(referral: referral)
        return .askForCode(referral)
    }

    mutating func notGiven(_ failure: ReferralFailure) -> Effect {
        guard case .calling = step else { return .tellReader(.declined) }
        referralFailure = failure
        return calledBack(.declined)
    }

    mutating func given(_ code: String) -> Effect {
        guard case .calling(let referral) = step, !isReaderDone else { return .tellReader(.declined) }
        exchange = .unanswered
        order.entry.isReferred = true
        return write(.code(code, referral: referral)) {
            $0.stage = .asking
            $0.answer = nil
        }
    }

    mutating func codeWritten(_ code: String, _ referral: AuthorizationResponse, _ error: TerminalError?) -> Effect {
        step = .booking(code: code, referral: referral)
        if let error { return notBooked(HostError(.unreachable, error.message)) }
        guard !isReaderDone else { return notBooked(.operationOver) }
        return .book(code: code)
    }

    mutating func notBooked(_ error: HostError) -> Effect {
        guard case .booking(_, let referral) = step else { return .tellReader(.declined) }
        if !error.leavesOutcomeUnknown {
            exchange = .answered(referral)
            referralFailure = .notBooked(error)
        }
        return calledBack(.declined)
    }

    mutating func booked(_ answer: AuthorizationResponse) -> Effect {
        guard case .booking(let code, _) = step, !isReaderDone else { return .tellReader(.declined) }
        return write(.booking(answer, code: code)) {
            $0.stage = .answered
            $0.answer = answer
        }
    }

    mutating func bookingWritten(_ answer: AuthorizationResponse, _ code: String, _ error: TerminalError?) -> Effect {
        guard error == nil, !isReaderDone else { return calledBack(.declined) }
        exchange = .answered(answer)
        let isAccepted = answer.isAccepted(by: rules.responseCodes)
        return calledBack(isAccepted ? .approved(approvalCode: Array(code.utf8)) : .declined)
    }

    private mutating func calledBack(_ answer: ReferralAnswer) -> Effect {
        step = .reading
        return hasReader ? .tellReader(answer) : endWithAnswer()
    }
}

extension HostError {
    fileprivate static let operationOver = HostError(.unreachable, "the operation has ended: nothing was sent")
    fileprivate static let late = HostError(.noAnswer, "the answer arrived after the end of the operation")
}

import CardCapture
import EMVKernel

/// One order's request to the host, from its entry in the journal to the answer in the journal.
///
/// A reader may keep it beyond its operation. After the exchange is closed, nothing is sent, and
/// late answers are dropped.
actor HostExchange {
    enum State: Sendable {
        /// The card did not ask.
        case notAsked
        /// The request was not sent: why.
        case unreachable(HostError)
        /// The request was sent, but there is no answer.
        case unanswered
        case answered(AuthorizationResponse)
        /// The host refused the request without asking the issuer.
        case refused(HostError)
        /// The host has another order with the order id, or does not say which.
        case taken(HostError)
    }

    /// How an exchange ended.
    struct End: Sendable {
        let state: State
        var order: JournaledOrder
        /// Why the terminal did not send the request; nil if the reason is not in the terminal.
        let obstacle: TerminalError?
        /// Why a referral was not approved; nil without a referral, and after an approval.
        let referralFailure: ReferralFailure?
    }

    private let terminal: Terminal
    /// The number of the operation of the exchange.
    private let operation: Int
    private let amount: Money
    private let question: @Sendable (PaymentCard?, any PaymentHost) async throws(HostError) -> AuthorizationResponse
    private let isHostAsked: Bool
    private var order: JournaledOrder
    private var state = State.notAsked
    private var obstacle: TerminalError?
    private var referralFailure: ReferralFailure?
    private var isClosed = false
    private var isWriting = false
    private var waitingToClose: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - isHostAsked: False for a card that is only read: to its chip the host is unreachable.
    ///   - question: Sends the request to the host; without a card for a request about an earlier
    ///     transaction.
    init(
        _ order: JournaledOrder, of terminal: Terminal, operation: Int, isHostAsked: Bool = true,
        question: @escaping @Sendable (PaymentCard?, any PaymentHost) async throws(HostError) -> AuthorizationResponse
    ) {
        self.terminal = terminal
        self.operation = operation
        self.order = order
        self.question = question
        self.isHostAsked = isHostAsked
        amount = order.entry.amount
    }

    /// Asks the host once about a card that was read. For the card, a refusal by the host is a
    /// decline (`05`, do not honour), so that it does not approve offline what the host has
    /// refused.
    func authorize(_ card: CapturedCard) async -> IssuerAnswer {
        if case .notAsked = state, let error = await terminal.refusal(of: card) {
            state = .refused(HostError(.cardRefused, error.message))
            return .answered(IssuerAnswer.Answer(responseCode: "05"))
        }
        guard isHostAsked else { return .unreachable }
        do throws(HostError) {
            return .answered(try await ask(.captured(card)).issuer)
        } catch {
            switch state {
            case .refused, .taken: return .answered(IssuerAnswer.Answer(responseCode: "05"))
            case .notAsked, .unreachable, .unanswered, .answered: return .unreachable
            }
        }
    }

    /// Asks the host, once.
    ///
    /// - Throws: ``HostError/Failure/unreachable`` if nothing has left.
    @discardableResult
    func ask(_ card: PaymentCard?) async throws(HostError) -> AuthorizationResponse {
        guard case .notAsked = state, !isClosed else { throw .operationOver }
        state = .unanswered
        do throws(HostError) {
            let answer = try await exchange(card)
            state = .answered(answer)
            return answer
        } catch {
            switch error.code {
            case .failed(.unreachable): state = .unreachable(error)
            case .refused(.orderAlreadyProcessed): state = .taken(error)
            default: if !error.leavesOutcomeUnknown { state = .refused(error) }
            }
            throw error
        }
    }

    private func exchange(_ card: PaymentCard?) async throws(HostError) -> AuthorizationResponse {
        if let card { order.entry.take(card) }
        do throws(TerminalError) {
            try await terminal.checkMayAsk(operation, movesMoney: order.keeping != .nowhere)
            try await write(.asking)
        } catch {
            obstacle = error
            throw HostError(.unreachable, error.message)
        }
        guard !isClosed else { throw .operationOver }
        let answer = try await terminal.askAboutMoney(order.entry) { [question] host throws(HostError) in
            try await question(card, host)
        }
        guard order.entry.needsCard else { return answer }
        do throws(TerminalError) {
            try await write(.answered, answer)
        } catch {
            // Without the journal, an approval would be lost with the process: it is not passed to
            // the card. A decline needs no journal, and without it the card could approve alone
            // what the issuer has declined.
            guard !answer.isHeld(by: terminal.configuration.responseCodes) else {
                throw HostError(.noAnswer, error.message)
            }
        }
        // A reader that was left behind hears nothing of what comes now.
        guard !isClosed else { throw .late }
        return answer
    }

    private func write(_ stage: JournalEntry.Stage, _ answer: AuthorizationResponse? = nil) async throws(TerminalError)
    {
        isWriting = true
        defer {
            isWriting = false
            for waiting in waitingToClose { waiting.resume() }
            waitingToClose = []
        }
        guard !isClosed else { throw .cancelled }
        var next = order
        next.entry.stage = stage
        next.entry.answer = answer
        try await terminal.save(&next)
        order = next
    }

    /// Ends the exchange. A write in progress is complete when this returns; there are no later
    /// writes.
    func close() async -> End {
        isClosed = true
        while isWriting { await withCheckedContinuation { waitingToClose.append($0) } }
        return End(state: state, order: order, obstacle: obstacle, referralFailure: referralFailure)
    }

    // MARK: Referral

    /// Asks the attendant to call the issuer, and the host to book the approval code. From the
    /// moment that the code may leave until the host has answered, the order is in doubt, also in
    /// the journal; until then nothing is authorized.
    func resolveReferral() async -> ReferralAnswer {
        guard case .answered(let referral) = state, !isClosed, referralFailure == nil else { return .declined }
        let code: String
        do throws(ReferralFailure) {
            code = try await terminal.approvalCode(for: order.entry, referral)
        } catch {
            referralFailure = error
            return .declined
        }
        guard !isClosed else { return .declined }
        state = .unanswered
        do throws(HostError) {
            let answer = try await book(code)
            state = .answered(answer)
            return answer.isAccepted(by: terminal.configuration.responseCodes)
                ? .approved(approvalCode: Array(code.utf8)) : .declined
        } catch {
            if !error.leavesOutcomeUnknown {
                state = .answered(referral)
                referralFailure = .notBooked(error)
            }
            return .declined
        }
    }

    private func book(_ approvalCode: String) async throws(HostError) -> AuthorizationResponse {
        order.entry.isReferred = true
        do throws(TerminalError) {
            try await write(.asking)
        } catch {
            throw HostError(.unreachable, error.message)
        }
        guard !isClosed else { throw .operationOver }
        let answer = try await terminal.bookReferral(order.entry, approvalCode)
        guard !isClosed else { throw .late }
        do throws(TerminalError) {
            try await write(.answered, answer)
        } catch {
            throw HostError(.noAnswer, error.message)
        }
        guard !isClosed else { throw .late }
        return answer
    }
}

/// An order in progress, and whether it has an entry in the journal.
struct JournaledOrder: Sendable {
    enum Keeping: Sendable {
        case new
        case journaled
        /// It has no entry, because it moves no money: a lost answer does no harm.
        case nowhere
    }

    var entry: JournalEntry
    var keeping: Keeping
}

extension HostError {
    fileprivate static let operationOver = HostError(.unreachable, "the operation has ended: nothing was sent")
    fileprivate static let late = HostError(.noAnswer, "the answer arrived after the end of the operation")
}

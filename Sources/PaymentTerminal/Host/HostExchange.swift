import CardReaders

/// The one question that a card has the host asked during its capture, and what became of it.
actor HostExchange {
    enum State {
        /// The card did not ask.
        case notAsked
        /// The question never left.
        case unreachable
        /// The question left and no answer has come.
        case unanswered
        case answered(AuthorizationResponse)
        /// The host would not take the question to the issuer.
        case refused(HostError)
    }

    private(set) var state = State.notAsked
    private let ask: @Sendable (CapturedCard) async throws(HostError) -> AuthorizationResponse

    init(ask: @escaping @Sendable (CapturedCard) async throws(HostError) -> AuthorizationResponse) { self.ask = ask }

    /// Asks the host, once. A host that refuses the question is a decline (`05`, do not honour) for the card: it must not approve offline
    /// what the host will not have.
    func authorize(_ card: CapturedCard) async -> IssuerAnswer {
        guard case .notAsked = state else { return .unreachable }
        state = .unanswered
        do throws(HostError) {
            let response = try await ask(card)
            state = .answered(response)
            return .answered(response.issuer)
        } catch {
            if error.leavesOutcomeUnknown { return .unreachable }
            guard error.code != .unreachable else {
                state = .unreachable
                return .unreachable
            }
            state = .refused(error)
            return .answered(IssuerAnswer.Answer(responseCode: "05"))
        }
    }
}

import CardReaders

/// The one question that a card has the host asked during its capture, and what became of it.
actor HostExchange {
    enum State {
        /// The card did not ask, or the question never left.
        case notAsked
        /// The question left and no answer has come.
        case unanswered
        case answered(AuthorizationResponse)
        /// The host would not take the question to the issuer.
        case refused(HostError)
    }

    private(set) var state = State.notAsked
    private let host: any PaymentHost
    private let makeRequest: @Sendable (CapturedCard) -> AuthorizationRequest

    init(host: any PaymentHost, makeRequest: @escaping @Sendable (CapturedCard) -> AuthorizationRequest) {
        self.host = host
        self.makeRequest = makeRequest
    }

    /// Asks the host, once. A host that refuses the question is a decline (`05`, do not honour) for the card: it must not approve offline
    /// what the host will not have.
    func authorize(_ card: CapturedCard) async -> IssuerAnswer {
        guard case .notAsked = state else { return .unreachable }
        state = .unanswered
        do throws(HostError) {
            let response = try await host.authorize(makeRequest(card))
            state = .answered(response)
            return .answered(response.issuer)
        } catch {
            switch error.code {
            case .unreachable: state = .notAsked
            case .noAnswer: state = .unanswered
            default:
                state = .refused(error)
                return .answered(IssuerAnswer.Answer(responseCode: "05"))
            }
            return .unreachable
        }
    }
}

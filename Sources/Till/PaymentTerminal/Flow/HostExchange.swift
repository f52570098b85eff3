/// What has left the terminal for the host, and what came back: with the card's decision it judges
/// a payment (``PaymentVerdict``).
enum HostExchange: Sendable {
    /// The card did not ask.
    case notAsked
    /// The request was not sent: why.
    case unreachable(HostError)
    /// The request may have left, and there is no answer.
    case unanswered
    case answered(AuthorizationResponse)
    /// The host refused the request without asking the issuer.
    case refused(HostError)
    /// The host has another order with the order id, or does not say which.
    case taken(HostError)

    /// How a request ended that came to nothing, or may have.
    init(_ error: HostError) {
        switch error.code {
        case .failed(.unreachable): self = .unreachable(error)
        case .refused(.orderAlreadyProcessed): self = .taken(error)
        default: self = error.leavesOutcomeUnknown ? .unanswered : .refused(error)
        }
    }

    /// Whether nothing has happened at the host, and nothing can happen.
    var isWithoutEffect: Bool {
        switch self {
        case .notAsked, .unreachable, .refused: true
        case .unanswered, .answered, .taken: false
        }
    }
}

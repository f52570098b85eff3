/// What a lane is killed at.
enum Scenario: String, CaseIterable {
    case keyed
    case token
    /// The issuer declines.
    case keyedDeclined
    case keyedAnswerLost
    case stripe
    case stripeAnswerLost
    case stripeStored
    case chip
    case chipDeclined
    /// The host approves, and the card is taken away before it hears of it.
    case chipRemoved
    case chipAnswerLost
    case chipOffline
    case unsigned
    case partialNotAllowed
    case refund
    case unreferencedRefund
    case capture
    case reverse
    case withSecureCard

    var network: DoomedHost.Network {
        switch self {
        case .stripeStored, .chipOffline: .down
        case .keyedAnswerLost, .stripeAnswerLost, .chipAnswerLost: .losesAnswers
        default: .good
        }
    }
}

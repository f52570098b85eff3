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
    // At a gateway without our extensions:
    case keyedPublished
    case keyedAnswerLostPublished
    case chipPublished
    case refundPublished
    case capturePublished

    var isPublished: Bool { rawValue.hasSuffix("Published") }

    /// The same at a host with our extensions.
    var kind: Scenario {
        switch self {
        case .keyedPublished: .keyed
        case .keyedAnswerLostPublished: .keyedAnswerLost
        case .chipPublished: .chip
        case .refundPublished: .refund
        case .capturePublished: .capture
        default: self
        }
    }

    /// Whether a lost answer leaves the outcome unknown for good: the gateway has no name for the order.
    var mayStayUnknown: Bool { self == .refundPublished || self == .capturePublished }

    var network: DoomedHost.Network {
        switch kind {
        case .stripeStored, .chipOffline: .down
        case .keyedAnswerLost, .stripeAnswerLost, .chipAnswerLost: .losesAnswers
        default: .good
        }
    }
}

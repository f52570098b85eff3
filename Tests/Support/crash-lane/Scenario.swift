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
    /// The card declines and wants its issuer to hear of it.
    case chipDeclinesItself
    // The issuer wants a call, and the attendant gets an approval code:
    case keyedReferred
    case stripeReferred
    case stripeReferredAnswerLost
    case chipReferred
    case chipReferredAnswerLost
    case unsigned
    case tap
    case tapAnswerLost
    /// A tap that the card approves alone after the answer was lost, and that nobody signs.
    case tapUnsigned
    case tapUnsignedAnswerLost
    case partialNotAllowed
    case preAuthorization
    case preAuthorizationAnswerLost
    case refund
    case refundAnswerLost
    case unreferencedRefund
    case unreferencedRefundAnswerLost
    case capture
    case captureAnswerLost
    case reverse
    case withSecureCard
    case registerSecureCard
    case registerSecureCardAnswerLost
    case editSecureCard
    case editSecureCardAnswerLost
    case deleteSecureCard
    case deleteSecureCardAnswerLost
    // At a gateway without our extensions. It hears of no decline by the card, and of no call to
    // the issuer:
    case keyedPublished
    case keyedDeclinedPublished
    case keyedAnswerLostPublished
    case tokenPublished
    case stripePublished
    case stripeAnswerLostPublished
    case stripeStoredPublished
    case chipPublished
    case chipDeclinedPublished
    case chipRemovedPublished
    case chipAnswerLostPublished
    case chipOfflinePublished
    case unsignedPublished
    case tapPublished
    case tapAnswerLostPublished
    case tapUnsignedPublished
    case tapUnsignedAnswerLostPublished
    case partialNotAllowedPublished
    case preAuthorizationPublished
    case preAuthorizationAnswerLostPublished
    case refundPublished
    case refundAnswerLostPublished
    case unreferencedRefundPublished
    case unreferencedRefundAnswerLostPublished
    case capturePublished
    case captureAnswerLostPublished
    case reversePublished
    case withSecureCardPublished

    var isPublished: Bool { rawValue.hasSuffix("Published") }

    /// The same at a host with our extensions, over a network that loses nothing.
    var kind: Scenario {
        let name = rawValue.replacing("Published", with: "").replacing("AnswerLost", with: "")
        return Scenario(rawValue: name) ?? self
    }

    var changesSecureCard: Bool { [.registerSecureCard, .editSecureCard, .deleteSecureCard].contains(kind) }

    var isReferred: Bool { [.keyedReferred, .stripeReferred, .chipReferred].contains(kind) }

    /// Whether a lost answer leaves the outcome unknown for good: the gateway has no name for the
    /// order.
    var mayStayUnknown: Bool { isPublished && (kind == .refund || kind == .capture) }

    var network: DoomedHost.Network {
        if isReferred { return rawValue.contains("AnswerLost") ? .losesAnswersToApprovalCodes : .good }
        if rawValue.contains("AnswerLost") { return .losesAnswers }
        return kind == .stripeStored || kind == .chipOffline ? .down : .good
    }
}

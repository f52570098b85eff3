public import CardReaders

/// What the issuer decided.
public struct AuthorizationResponse: Sendable {
    /// What the host calls the transaction.
    public let uniqueReference: String
    /// Response code with tag `91`, scripts and authorisation code: what the card is given.
    public let issuer: IssuerAnswer.Answer
    /// What was authorised; less than was asked for in a partial approval.
    public let authorizedAmount: Money
    /// The card behind the token that was paid with; nil if the terminal had the card itself.
    public let card: CardSummary?
    /// The token of the card that was registered along; nil if none was.
    public let secureCardReference: SecureCardReference?
    /// The host's words for the decision.
    public let message: String

    public init(
        uniqueReference: String, issuer: IssuerAnswer.Answer, authorizedAmount: Money, card: CardSummary? = nil,
        secureCardReference: SecureCardReference? = nil, message: String
    ) {
        self.uniqueReference = uniqueReference
        self.issuer = issuer
        self.authorizedAmount = authorizedAmount
        self.card = card
        self.secureCardReference = secureCardReference
        self.message = message
    }
}

public import CardCapture

/// What the issuer decided.
public struct AuthorizationResponse: Sendable, Equatable, Codable {
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
    /// What the issuer said of the billing address and of the CVV; nil if it was not asked.
    public let checks: CardholderChecks
    /// The host's words for the decision.
    public let message: String

    /// The decision as a host's client takes it from the host's answer.
    public init(
        uniqueReference: String, issuer: IssuerAnswer.Answer, authorizedAmount: Money, card: CardSummary? = nil,
        secureCardReference: SecureCardReference? = nil, checks: CardholderChecks = CardholderChecks(), message: String
    ) {
        self.uniqueReference = uniqueReference
        self.issuer = issuer
        self.authorizedAmount = authorizedAmount
        self.card = card
        self.secureCardReference = secureCardReference
        self.checks = checks
        self.message = message
    }
}

/// The issuer's answers about a cardholder who is not there, in the host's one-letter codes.
public struct CardholderChecks: Sendable, Equatable, Codable {
    /// Address verification: `Y` address and postal code match, `A` address only, `Z` postal code only, `N` neither, `U` not available (as Visa
    /// and Mastercard have them). Nil if no address was sent.
    public var address: String?
    /// `M` matches, `N` does not, `P` not processed, `U` the issuer does not take part. Nil if no CVV was sent.
    public var cvv: String?

    /// Codes of one letter each; nil for a check that was not asked for.
    public init(address: String? = nil, cvv: String? = nil) {
        self.address = address
        self.cvv = cvv
    }
}

public import CardCapture
internal import EMVKernel
private import TLV

/// The issuer's decision.
public struct AuthorizationResponse: Sendable, Equatable, Codable {
    /// The host's reference of the transaction.
    public let uniqueReference: String
    /// The data for the card: response code, tag `91`, scripts and authorisation code.
    public let issuer: IssuerAnswer.Answer
    /// The authorised amount; less than requested in a partial approval.
    public let authorizedAmount: Money
    /// The card of the token that was used; nil if the terminal had the card itself.
    public let card: CardSummary?
    /// The token of the card that was registered with the payment; nil if none was.
    public let secureCardReference: SecureCardReference?
    /// The issuer's checks of the billing address and the CVV; nil if they were not requested.
    public let checks: CardholderChecks
    /// The host's text for the decision, on one line and without card numbers.
    public let message: String
    /// Whether the host says that it holds an amount for the order, whatever the response code is;
    /// nil if its interface has the response code only.
    public let isAuthorized: Bool?

    /// A decision, created by a host's client from the host's answer.
    public init(
        uniqueReference: String, issuer: IssuerAnswer.Answer, authorizedAmount: Money, card: CardSummary? = nil,
        secureCardReference: SecureCardReference? = nil, checks: CardholderChecks = CardholderChecks(), message: String,
        isAuthorized: Bool? = nil
    ) {
        self.uniqueReference = Masking.plain(uniqueReference)
        self.issuer = issuer
        self.authorizedAmount = authorizedAmount
        self.card = card
        self.secureCardReference = secureCardReference
        self.checks = checks
        self.message = Masking.text(message)
        self.isAuthorized = isAuthorized
    }
}

extension AuthorizationResponse {
    /// Approved for a lower amount (ISO 8583:1987, field 39).
    static let partialApproval = "10"
    /// What stands for the issuer's code if the card approved alone (EMV 4.4 Book 4, annex A6).
    private static let approvedByCard: Set<String> = ["Y1", "Y3"]

    /// Whether the terminal takes the answer for an approval, possibly of less than requested.
    func isAccepted(by codes: ResponseCodes) -> Bool {
        isAuthorized != false && (codes.approves(issuer.responseCode) || issuer.responseCode == Self.partialApproval)
    }

    /// Whether the host holds an amount for the order. An approval that the terminal does not
    /// accept must be reversed.
    func isHeld(by codes: ResponseCodes) -> Bool {
        isAuthorized ?? (isAccepted(by: codes) || Self.approvedByCard.contains(issuer.responseCode))
    }
}

/// The issuer's checks of a cardholder who is not present, in the host's one-letter codes.
public struct CardholderChecks: Sendable, Equatable, Codable {
    /// Address verification: `Y` address and postal code match, `A` address only, `Z` postal code
    /// only, `N` neither, `U` not available (codes of Visa and Mastercard). Nil if no address was
    /// sent.
    public var address: String? { didSet { address = address.map(Masking.text) } }
    /// `M` matches, `N` does not, `P` not processed, `U` the issuer does not take part. Nil if no
    /// CVV was sent.
    public var cvv: String? { didSet { cvv = cvv.map(Masking.text) } }

    /// Codes of one letter each; nil for a check that was not requested.
    public init(address: String? = nil, cvv: String? = nil) {
        self.address = address.map(Masking.text)
        self.cvv = cvv.map(Masking.text)
    }
}

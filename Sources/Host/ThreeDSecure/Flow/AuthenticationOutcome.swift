internal import PaymentTerminal

/// What may be authorized after an authentication, and at whose risk.
public enum AuthenticationOutcome: Sendable, Equatable, Codable {
    /// With the proof: the issuer bears the liability for fraud, as far as the payment system's
    /// rules go.
    case authorize(AuthenticationProof)
    /// The merchant's own rule decides. Without any value of an authentication, and the merchant
    /// bears the liability.
    case merchantDecides(MissingProof)
    /// Not to be authorized.
    case refuse(AuthenticationRefusal)
}

/// What goes into the authorization, together or not at all.
public struct AuthenticationProof: Sendable, Equatable, Codable {
    /// ``TransactionStatus/authenticated`` or ``TransactionStatus/attempted``.
    public let status: TransactionStatus
    public let eci: ECommerceIndicator
    /// As received.
    public let authenticationValue: AuthenticationValue
    /// As received; nil where ``directoryTransactionID`` stands for it.
    public let xid: String?
    public let directoryTransactionID: String?
    public let version: String?
}

/// Why there is no proof, although nobody was denied.
public enum MissingProof: Sendable, Equatable, Codable {
    /// The session did not begin.
    case setup(CardinalErrorNumber)
    /// The lookup has not been answered, or with an error.
    case lookup(CardinalErrorNumber)
    case notEnrolled
    case unavailable
    case bypassed
    /// The issuer only takes note.
    case informational
    /// Authenticated or attempted, but the value, the indicator or the transaction's id is missing,
    /// or the indicator says something else.
    case incomplete
    /// There was nothing to be done.
    case noAction
}

/// Why an authorization is not to be asked for.
public enum AuthenticationRefusal: Sendable, Equatable, Codable {
    /// - message: What must be shown to the customer; nil if the issuer has none.
    case denied(StatusReason?, message: String?)
    case rejected(StatusReason?)
    /// The issuer's signature is wrong, or not said to be right.
    case signature
    /// A challenge of 3-D Secure 1, or none that can be begun.
    case unsupportedVersion
    /// The challenge has failed.
    case failed(CardinalErrorNumber)
    case cancelled
    /// The challenge did not come back in time.
    case timedOut
    /// The answer from the browser or the app is not genuine, or not for this payment.
    case notVerified
    /// No result, after it had to be one.
    case noResult
}

extension AuthenticationOutcome {
    /// What the values of a result mean.
    ///
    /// - Parameter brand: Of the card, for the indicator.
    init(_ values: AuthenticationValues, _ brand: CardBrand) {
        switch values.status {
        case .authenticated, .attempted: self = Self.proof(values, brand)
        case .denied: self = .refuse(.denied(values.reason, message: values.cardholderInfo))
        case .rejected: self = .refuse(.rejected(values.reason))
        case .unavailable: self = .merchantDecides(.unavailable)
        case .informational: self = .merchantDecides(.informational)
        case .challenge, .decoupled, nil: self = .refuse(.noResult)
        }
    }

    private static func proof(_ values: AuthenticationValues, _ brand: CardBrand) -> AuthenticationOutcome {
        guard values.isSignatureRight == true, let status = values.status else { return .refuse(.signature) }
        let required: ECommerceIndicator.Meaning = status == .authenticated ? .authenticated : .attempted
        guard let value = values.authenticationValue, let eci = values.eci, eci.meaning(brand) == required,
            values.xid != nil || values.directoryTransactionID != nil
        else { return .merchantDecides(.incomplete) }
        return .authorize(
            AuthenticationProof(
                status: status, eci: eci, authenticationValue: value, xid: values.xid,
                directoryTransactionID: values.directoryTransactionID, version: values.version))
    }
}

public import PaymentTerminal

/// The authentication of one payment: a value. ``next(_:)`` takes what has happened and says what is
/// to be done; whoever does it comes back with the next event.
///
/// What comes after the end, twice, or for another payment changes nothing. It is `Codable`, so that
/// a web shop can keep it from one request to the next on its own side.
public struct AuthenticationFlow: Sendable, Equatable, Codable {
    /// Where the result of a challenge is read.
    public enum ResultSource: Sendable, Equatable, Codable {
        /// In the token that comes back, once it is verified.
        case token
        /// In the answer to `cmpi_authenticate`, after the token is verified.
        case message
    }

    public enum Step: Sendable, Equatable, Codable {
        /// The browser or the app begins the session with the server's token.
        case settingUp
        /// The browser lets the issuer see its device, or the app has done so.
        case collecting
        case lookingUp
        /// The customer is at the issuer's challenge.
        case challenging(Challenge)
        /// What came back from the challenge is verified.
        case verifying(Challenge)
        case authenticating(Challenge)
        case over(AuthenticationOutcome)
    }

    /// What has happened.
    public enum Event: Sendable, Equatable {
        /// - sessionID: `ConsumerSessionId`.
        case setUp(sessionID: String)
        /// The session did not begin: there is no token then.
        case setupFailed(CardinalErrorNumber)
        /// - isComplete: False after ``deviceDataSeconds``: the lookup goes on without.
        case deviceData(isComplete: Bool)
        case lookedUp(CardinalAnswer)
        /// No answer, or one that cannot be read.
        case lookupFailed
        /// - transactionID: As the browser or the app names it.
        /// - token: Empty if validation has failed.
        case challengeReturned(transactionID: String, ActionCode, CardinalErrorNumber, token: String)
        /// After ``challengeSeconds``.
        case challengeTimedOut
        case verified(CardinalResponse)
        case notVerified(CardinalTokenError)
        case authenticated(CardinalAnswer)
        /// No answer, or one that cannot be read.
        case authenticationFailed
    }

    /// What is to be done next.
    public enum Effect: Sendable, Equatable {
        /// Then ``Event/deviceData(isComplete:)``.
        case collectDeviceData
        /// Send `cmpi_lookup` with this id as `DFReferenceId`.
        case lookUp(referenceID: String)
        case challenge(Challenge)
        /// ``CardinalAccount/verify(_:answering:session:now:taken:)`` on the server.
        case verify(token: String, request: String, session: String)
        /// Send `cmpi_authenticate`.
        case authenticate(transactionID: String)
        case end(AuthenticationOutcome)
    }

    /// What the browser or the app needs for the challenge.
    public struct Challenge: Sendable, Equatable, Codable {
        public let transactionID: String
        public let payload: String
        /// Nil in an app, whose SDK knows it.
        public let url: String?
        let lookup: AuthenticationValues
    }

    /// After which the lookup goes on without the device's data, in seconds.
    public static let deviceDataSeconds = 10
    /// After which a challenge counts as not returned, in seconds.
    public static let challengeSeconds = 300

    /// The `jti` of the token that began the session.
    public let requestID: String
    public let brand: CardBrand
    public let source: ResultSource
    /// The token's own `ReferenceId`; the session's id stands for it otherwise.
    private let referenceID: String?
    private var sessionID = ""
    public private(set) var step: Step = .settingUp

    public init(_ request: TokenRequest, brand: CardBrand, source: ResultSource = .token) {
        requestID = request.id
        referenceID = request.referenceID
        self.brand = brand
        self.source = source
    }

    /// Nil before the end.
    public var outcome: AuthenticationOutcome? {
        if case .over(let outcome) = step { outcome } else { nil }
    }
}

extension AuthenticationFlow {
    /// - Returns: nil if the event does not belong to this step: nothing changes.
    public mutating func next(_ event: Event) -> Effect? {
        switch (step, event) {
        case (.settingUp, .setUp(let session)):
            sessionID = session
            step = .collecting
            return .collectDeviceData
        case (.settingUp, .setupFailed(let number)): return end(.merchantDecides(.setup(number)))
        case (.collecting, .deviceData):
            step = .lookingUp
            return .lookUp(referenceID: referenceID ?? sessionID)
        case (.lookingUp, .lookedUp(let answer)): return decide(answer)
        case (.lookingUp, .lookupFailed): return end(.merchantDecides(.lookup(.none)))
        case (.challenging(let challenge), .challengeReturned(let id, let action, let number, let token)):
            guard id == challenge.transactionID else { return nil }
            return returned(challenge, action, number, token: token)
        case (.challenging, .challengeTimedOut): return end(.refuse(.timedOut))
        case (.verifying(let challenge), .verified(let response)): return verified(challenge, response)
        case (.verifying, .notVerified): return end(.refuse(.notVerified))
        case (.authenticating(let challenge), .authenticated(let answer)): return authenticated(challenge, answer)
        case (.authenticating, .authenticationFailed): return end(.refuse(.noResult))
        default: return nil
        }
    }

    private mutating func end(_ outcome: AuthenticationOutcome) -> Effect {
        step = .over(outcome)
        return .end(outcome)
    }

    /// Frictionless, challenge, not enrolled, unavailable or bypassed.
    private mutating func decide(_ answer: CardinalAnswer) -> Effect {
        guard answer.errorNumber == .none else { return end(.merchantDecides(.lookup(answer.errorNumber))) }
        let values = answer.values
        switch values.enrolled {
        case .no: return end(.merchantDecides(.notEnrolled))
        case .bypassed: return end(.merchantDecides(.bypassed))
        case .unavailable, nil: return end(.merchantDecides(.unavailable))
        case .yes: break
        }
        // A challenge of 3-D Secure 1 has an address and no status.
        let wantsChallenge = values.status == .challenge || values.status == nil && answer.challengeURL != nil
        guard wantsChallenge else { return end(AuthenticationOutcome(values, brand)) }
        guard values.status == .challenge, values.version?.hasPrefix("2") == true, let payload = answer.payload,
            let id = answer.transactionID
        else { return end(.refuse(.unsupportedVersion)) }
        let challenge = Challenge(transactionID: id, payload: payload, url: answer.challengeURL, lookup: values)
        step = .challenging(challenge)
        return .challenge(challenge)
    }

    private mutating func returned(
        _ challenge: Challenge, _ action: ActionCode, _ number: CardinalErrorNumber, token: String
    ) -> Effect {
        switch action {
        case .success, .noAction:
            step = .verifying(challenge)
            return .verify(token: token, request: requestID, session: sessionID)
        case .failure, .error: return end(.refuse(.failed(number)))
        case .cancel: return end(.refuse(.cancelled))
        case .timeout: return end(.refuse(.timedOut))
        }
    }

    /// The action is the verified token's, not the one that the browser has named.
    private mutating func verified(_ challenge: Challenge, _ response: CardinalResponse) -> Effect {
        guard response.transactionID == nil || response.transactionID == challenge.transactionID else {
            return end(.refuse(.notVerified))
        }
        guard response.actionCode.needsVerification, response.errorNumber == .none else {
            return end(.refuse(.failed(response.errorNumber)))
        }
        if source == .message {
            step = .authenticating(challenge)
            return .authenticate(transactionID: challenge.transactionID)
        }
        if response.actionCode == .noAction, response.values.status == nil {
            return end(.merchantDecides(response.values.enrolled == .bypassed ? .bypassed : .noAction))
        }
        return end(AuthenticationOutcome(challenge.completed(by: response.values), brand))
    }

    private mutating func authenticated(_ challenge: Challenge, _ answer: CardinalAnswer) -> Effect {
        guard answer.transactionID == nil || answer.transactionID == challenge.transactionID else {
            return end(.refuse(.notVerified))
        }
        guard answer.errorNumber == .none else { return end(.refuse(.failed(answer.errorNumber))) }
        if answer.values.enrolled == .bypassed, answer.values.status == nil {
            return end(.merchantDecides(.bypassed))
        }
        return end(AuthenticationOutcome(challenge.completed(by: answer.values), brand))
    }
}

extension AuthenticationFlow.Challenge {
    /// A result, with what only the lookup has said of the transaction.
    fileprivate func completed(by result: AuthenticationValues) -> AuthenticationValues {
        var values = result
        values.version = result.version ?? lookup.version
        values.directoryTransactionID = result.directoryTransactionID ?? lookup.directoryTransactionID
        values.xid = result.xid ?? lookup.xid
        return values
    }
}

internal import Bytes
internal import JSONDocument

/// What a verified token says of an authentication.
public struct CardinalResponse: Sendable, Equatable {
    /// Of the answer (`jti`).
    public let id: String
    /// `ConsumerSessionId`.
    public let sessionID: String
    public let actionCode: ActionCode
    public let errorNumber: CardinalErrorNumber
    /// Cardinal's words, on one line.
    public let errorDescription: String
    /// `Payment.ProcessorTransactionId`; nil if the token does not have it.
    public let transactionID: String?
    /// What `Payment.ExtendedData` has.
    public let values: AuthenticationValues
}

/// Why a token's answer is not taken. No case repeats it.
public enum CardinalTokenError: Error, Sendable, Equatable {
    case token(JSONWebTokenError)
    /// A claim of this name is missing or has another type. Names differ by case.
    case claim(String)
    /// For another identifier than this account's.
    case issuer
    /// The answer to another token, or to none that it names.
    case audience
    case expired
    /// Made more than two hours ago.
    case tooOld
    /// Made in the future.
    case notYet
    /// For another session of the customer.
    case session
    /// The token was taken before.
    case repeated
    /// The payload cannot be read.
    case payload
}

extension CardinalTokenError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .token(let error): "\(error)"
        case .claim(let name): "the claim \(name) is missing or of another type"
        case .issuer: "the token is for another account"
        case .audience: "the token answers another one, or names none"
        case .expired: "the token has expired"
        case .tooOld: "the token is older than two hours"
        case .notYet: "the token was made in the future: check the clock"
        case .session: "the token is for another session"
        case .repeated: "the token was used before"
        case .payload: "the token's payload cannot be read"
        }
    }
}

/// The answers that were taken, so that each is taken once. It forgets those that are too old to be
/// taken again.
public struct TakenTokens: Sendable {
    private var expiries: [String: Int64] = [:]
    /// How many are kept. Beyond it new ones are refused, until old ones are forgotten.
    public static let maximumCount = 100_000

    public init() {}

    /// Whether the token was not accepted before.
    mutating func take(_ id: String, until expiry: Int64, now: Int64) -> Bool {
        if expiries.count >= Self.maximumCount { expiries = expiries.filter { $0.value >= now } }
        guard expiries.count < Self.maximumCount, expiries[id] == nil else { return false }
        expiries[id] = expiry
        return true
    }
}

extension CardinalAccount {
    /// How far the clocks may differ, in seconds.
    static let leeway: Int64 = 60

    /// Verifies an answer on the server. Nothing of a token may be used before.
    ///
    /// - Parameters:
    ///   - request: The `jti` of the token that it answers.
    ///   - session: What the answer must have been made for; nil if it is not known.
    ///   - now: Seconds since 1970.
    public func verify(
        _ token: String, answering request: String, session: String? = nil, now: Int64, taken: inout TakenTokens
    ) throws(CardinalTokenError) -> CardinalResponse {
        let claims: JSON
        do throws(JSONWebTokenError) { claims = try JSONWebToken(verifying: token, key: key).claims } catch {
            throw .token(error)
        }
        guard try claims.claim("iss") == identifier else { throw .issuer }
        try checkAudience(claims, request)
        guard let issued = claims["iat"]?.integer.map({ Int64($0) }) else { throw .claim("iat") }
        guard issued <= now.saturatingAdding(Self.leeway) else { throw .notYet }
        let end = issued.saturatingAdding(Self.tokenLifetime).saturatingAdding(Self.leeway)
        guard now <= end else { throw .tooOld }
        if let expiry = claims["exp"] {
            guard let expiry = expiry.integer.map({ Int64($0) }) else { throw .claim("exp") }
            guard now < expiry.saturatingAdding(Self.leeway) else { throw .expired }
        }
        let sessionID = try claims.claim("ConsumerSessionId")
        guard session == nil || session == sessionID else { throw .session }
        let id = try claims.claim("jti")
        let response = try CardinalResponse(id: id, sessionID: sessionID, payload: claims["Payload"])
        guard taken.take(id, until: end, now: now) else { throw .repeated }
        return response
    }

    private func checkAudience(_ claims: JSON, _ request: String) throws(CardinalTokenError) {
        guard let audience = claims["aud"] else {
            guard takesMissingAudience else { throw .audience }
            return
        }
        // RFC 7519, 4.1.3: a text, or a list of them.
        guard audience.text == request || audience.list == [.text(request)] else { throw .audience }
    }
}

extension JSON {
    /// A text that is not empty.
    fileprivate func claim(_ name: String) throws(CardinalTokenError) -> String {
        guard let text = self[name]?.text, !text.isEmpty else { throw .claim(name) }
        return text
    }
}

extension CardinalResponse {
    /// - Parameter payload: An object, or a text that contains one.
    fileprivate init(id: String, sessionID: String, payload: JSON?) throws(CardinalTokenError) {
        var payload = payload
        if let text = payload?.text { payload = try? JSON(parsing: Array(text.utf8)) }
        guard let payload, case .object = payload else { throw .payload }
        guard let action = payload["ActionCode"]?.text.flatMap({ ActionCode(rawValue: $0) }) else {
            throw .claim("ActionCode")
        }
        guard let number = payload["ErrorNumber"]?.integer else { throw .claim("ErrorNumber") }
        self.id = id
        self.sessionID = sessionID
        actionCode = action
        errorNumber = CardinalErrorNumber(rawValue: number)
        errorDescription = (payload["ErrorDescription"]?.text ?? "").onOneLine(atMost: 200)
        let payment = payload["Payment"]
        transactionID = payment?["ProcessorTransactionId"]?.text
        let extended = payment?["ExtendedData"]
        values = AuthenticationValues { name in extended?[name]?.text }
    }
}

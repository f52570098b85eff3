public import Bytes
import JSONDocument
public import PaymentTerminal
import WorldNet

/// A WorldNet gateway by its REST interface.
///
/// It gets an access token with its API key, or from the application, renews it before it expires
/// and whenever the gateway does not know it any more, and speaks for one terminal. What the
/// published interface has no place for (reversing an order whose answer was lost, the card's last
/// cryptogram, order ids of refunds) it does with hosts that announce it; docs/gateways.md tells
/// what that costs with others.
public actor RESTGateway {
    /// What the gateway knows the integrator by.
    public struct Account: Sendable {
        /// The terminal as the gateway knows it; it goes into each request.
        public var terminalID: String
        /// Where the access tokens come from.
        public enum Credential: Sendable {
            /// From the gateway, for this key: ASCII, as it goes behind `Basic` in the header.
            case apiKey(SecretBytes)
            /// From the application, for example from the merchant's server, which alone has the
            /// API key. It is called for the first request, before a token expires, and when the
            /// gateway refuses one; several requests at once share a call. It has
            /// ``ConnectionOptions/answerTimeout``, and after an error the host is
            /// ``HostError/Failure/unreachable``. A gateway that is spoken to with such tokens
            /// counts as one without our extensions.
            case clientToken(@Sendable () async throws -> ClientToken)
        }

        /// Where the access tokens come from.
        public var credential: Credential
        /// The gateway's name for the reader's model.
        public var deviceType: String

        /// An account whose API key the caller has read itself.
        ///
        /// - Parameters:
        ///   - apiKey: ASCII, as it goes behind `Basic` in the header.
        ///   - deviceType: What the gateway calls the reader's model.
        public init(terminalID: String, apiKey: SecretBytes, deviceType: String = "CARDPRESENT") {
            self.init(terminalID: terminalID, credential: .apiKey(apiKey), deviceType: deviceType)
        }

        /// An account whose access tokens come from the gateway or from the application.
        ///
        /// - Parameter deviceType: What the gateway calls the reader's model.
        public init(terminalID: String, credential: Credential, deviceType: String = "CARDPRESENT") {
            self.terminalID = terminalID
            self.credential = credential
            self.deviceType = deviceType
        }
    }

    /// How long a reversal of an order that the gateway does not know stays due: the order might
    /// still be on its way.
    public static let inDoubtWindow = Duration.seconds(300)

    private(set) var account: Account
    private let options: ConnectionOptions
    private let network: @Sendable () throws(HostError) -> any HTTPNetwork
    private let now: @Sendable () -> ContinuousClock.Instant
    private(set) var exchange: HTTPExchange
    private var token: (token: AccessToken, expiry: ContinuousClock.Instant)?
    private var renewal: Task<Result<AccessToken, HostError>, Never>?
    /// Whether ``testOnlyReason`` was asked for, and no answer of the host told it.
    var owesAnnouncement = false
    /// When a reversal was first asked for of an order that was not found.
    var doubts: [OrderID: ContinuousClock.Instant] = [:]

    /// - Parameter network: Asked again for each address.
    package init(
        _ address: GatewayAddress, account: Account, options: ConnectionOptions,
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        network: @escaping @Sendable () throws(HostError) -> any HTTPNetwork
    ) throws(HostError) {
        self.account = account
        self.options = options
        self.now = now
        self.network = network
        exchange = HTTPExchange(address, options, terminalID: account.terminalID, over: try network())
    }

    /// Uses another address from now on. It forgets the token of the previous one and closes its
    /// connections.
    public func use(_ address: GatewayAddress, account: Account) throws(HostError) {
        let exchange = HTTPExchange(address, options, terminalID: account.terminalID, over: try network())
        token = nil
        renewal?.cancel()
        renewal = nil
        doubts = [:]
        self.account = account
        self.exchange = exchange
    }

    // MARK: Tokens

    /// Whether the host has what the published interface has no place for.
    func hasExtensions() async throws(HostError) -> Bool { try await accessToken().hasExtensions }

    func instant() -> ContinuousClock.Instant { now() }

    func accessToken() async throws(HostError) -> AccessToken {
        let exchange = exchange
        while true {
            // Some time before the end, so that no request arrives with a token that has just
            // expired.
            if let token, now() < token.expiry - .seconds(30) { return token.token }
            // A caller that gave up has cancelled its renewal, which may take until the time limit
            // to notice.
            let task = renewal.flatMap { $0.isCancelled ? nil : $0 } ?? Task { await authenticate() }
            renewal = task
            let result = await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
            if renewal == task { renewal = nil }
            // Another caller, who shared the renewal, gave it up.
            if task.isCancelled, !Task.isCancelled, exchange === self.exchange { continue }
            return try result.get()
        }
    }

    private func authenticate() async -> Result<AccessToken, HostError> {
        let (exchange, asked) = (exchange, now())
        do throws(HostError) {
            let (token, lifetime) =
                switch account.credential {
                case .apiKey(let key): try await token(for: key, by: exchange)
                case .clientToken(let fetch): try await token(fetch)
                }
            // Of another address by now, or of this one.
            if exchange === self.exchange { self.token = (token, asked + lifetime) }
            return .success(token)
        } catch {
            // Nothing of the operation itself has left yet.
            return .failure(error.leavesOutcomeUnknown ? error.beforeRequest : error)
        }
    }

    private func token(for key: SecretBytes, by exchange: HTTPExchange) async throws(HostError) -> (
        AccessToken, Duration
    ) {
        let answer = try await exchange.send(
            "authenticate", "GET", RESTInterface.authenticate,
            headers: [
                ("Authorization", "Basic " + String(decoding: key.revealed(), as: UTF8.self)),
                ("Accept", "application/json"),
            ])
        let document = Self.document(answer)
        guard document != nil || [401, 403].contains(answer.status) else {
            throw answer.errorOfNoGateway(.internalError)
        }
        guard answer.status == 200, let document else {
            throw RESTError.error(status: answer.status, document, movesMoney: false)
        }
        let token = try AccessToken(document)
        return (token, .seconds(3600 * token.hours))
    }

    private func token(_ fetch: @escaping @Sendable () async throws -> ClientToken) async throws(HostError) -> (
        AccessToken, Duration
    ) {
        let late = HostError(.unreachable, "the application fetched no client token in time: check its server")
        let fetched = try await within(options.answerTimeout, grace: .zero, orElse: late) {
            () async throws(HostError) in
            do { return try await fetch() } catch {
                // The error is the application's own, and may have anything in its text.
                throw HostError(.unreachable, "the application has no client token: check its server")
            }
        }
        return (AccessToken(token: fetched.token, hours: 0, hasExtensions: false), fetched.lifetime)
    }

    private static func document(_ answer: HTTPExchange.Answer) -> JSON? { try? JSON(parsing: answer.body) }

    // MARK: Calls

    /// What a call does to money.
    enum Effect {
        /// It asks.
        case none
        /// It moves money once, however often it arrives: it names its order.
        case once
        /// It moves money each time that it arrives.
        case eachTime
    }

    /// One call with a token. It is repeated where that is safe: it only asks and no answer came;
    /// or the token was refused, by the gateway itself if the call has an effect each time.
    ///
    /// - Parameter effect: After an error of the gateway itself, or a status of another system, the
    ///   outcome of a call that moves money is unknown.
    func call(
        _ operation: StaticString, method: String, path: String, body: JSON? = nil, effect: Effect = .none
    ) async throws(HostError) -> JSON {
        let content = body.map { body in
            var document = body.document
            return SecretBytes(wiping: &document)
        }
        var triesLeft = 2
        // Another system may have answered for the gateway, which has carried out the call. A
        // refusal of its repetition says nothing about it then, unless the gateway knows the order.
        var mayBeDone = false
        let unknown = { (error: HostError) in
            guard mayBeDone, error.code != .failed(.noAnswer), error.code != .refused(.orderAlreadyProcessed) else {
                return error
            }
            return error.afterRequest
        }
        while true {
            triesLeft -= 1
            let exchange = exchange
            let token: AccessToken
            do throws(HostError) {
                token = try await accessToken()
                if effect != .none, owesAnnouncement { try await hearAnnouncement() }
            } catch {
                throw unknown(error)
            }
            var headers = [
                ("Authorization", "Bearer " + String(decoding: token.token.revealed(), as: UTF8.self)),
                ("Accept", "application/json"),
            ]
            if body != nil { headers.append(("Content-Type", "application/json")) }
            let answer: HTTPExchange.Answer
            do throws(HostError) {
                answer = try await exchange.send(operation, method, path, headers: headers, body: content)
            } catch {
                if method == "GET", error.code == .failed(.noAnswer), triesLeft > 0, !Task.isCancelled { continue }
                throw unknown(error)
            }
            if answer.status == 204 { return .null }
            let document = Self.document(answer)
            if answer.status == 401, triesLeft > 0, effect != .eachTime || RESTError.isDocument(document) {
                mayBeDone = mayBeDone || effect != .none && !RESTError.isDocument(document)
                if self.token?.token.token == token.token { self.token = nil }
                continue
            }
            guard (200..<300).contains(answer.status) else {
                throw unknown(RESTError.error(status: answer.status, document, movesMoney: effect != .none))
            }
            guard let document else {
                throw HostError(
                    .answerNotGenuine, "the gateway's answer is not JSON: look up the order before you try again")
            }
            return document
        }
    }
}

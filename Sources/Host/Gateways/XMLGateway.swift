public import Bytes
package import CardCapture
public import PaymentTerminal
import WorldNet
import XMLDocument

/// A WorldNet gateway by its XML interface: payments by keyed cards, stripes and tokens, their
/// refunds and captures, and secure cards.
///
/// The interface has no chips, no PINs, no list of transactions and no way to reverse an order by
/// its id; what it cannot do is refused with ``HostError/Refusal/notSupported``. ``RESTGateway``
/// can.
///
/// A gateway that has an extension for look-ups and reversals says so in its answer to `OPTIONS`.
/// Until three answers, over ten minutes or more, have named none, both fail with
/// ``HostError/Failure/internalError``: one of the answers may be a proxy's.
public actor XMLGateway {
    /// What the gateway knows the integrator by.
    public struct Account: Sendable {
        /// The terminal as the gateway knows it; it goes into each message.
        public var terminalID: String
        /// Shared with the gateway, UTF-8.
        public var secret: SecretBytes
        /// For terminals that support no other hash.
        public var usesLegacyMD5: Bool
        /// For terminals with several currencies: the hash of payments covers the currency.
        public var hasSeveralCurrencies: Bool
        /// `FORMATID` of the readers that encipher tracks; nil without such readers.
        public var trackFormat: Int?

        /// An account whose secret the caller has read itself.
        ///
        /// - Parameters:
        ///   - secret: UTF-8, shared with the gateway; it goes into the hash of each message.
        ///   - usesLegacyMD5: For terminals that know no other hash.
        ///   - hasSeveralCurrencies: For terminals with several currencies.
        ///   - trackFormat: `FORMATID` of readers that encrypt tracks.
        public init(
            terminalID: String, secret: SecretBytes, usesLegacyMD5: Bool = false, hasSeveralCurrencies: Bool = false,
            trackFormat: Int? = nil
        ) {
            self.terminalID = terminalID
            self.secret = secret
            self.usesLegacyMD5 = usesLegacyMD5
            self.hasSeveralCurrencies = hasSeveralCurrencies
            self.trackFormat = trackFormat
        }
    }

    private static let path = "/xmlpayment"
    private var account: Account
    private let options: ConnectionOptions
    private let network: @Sendable () throws(HostError) -> any HTTPNetwork
    private let clock: @Sendable () -> Timestamp
    private var exchange: HTTPExchange
    private var extensions = XMLExtensions.unknown
    /// Refunds and captures that were sent without their order id while ``extensions`` was open.
    private var unnamed: Set<OrderID> = []
    /// How often `OPTIONS` has had no answer, or an error, for ``testOnlyReason``.
    private var unansweredQuestions = 0

    /// - Parameter network: Asked again for each address.
    package init(
        _ address: GatewayAddress, account: Account, options: ConnectionOptions,
        clock: @escaping @Sendable () -> Timestamp, network: @escaping @Sendable () throws(HostError) -> any HTTPNetwork
    ) throws(HostError) {
        self.account = account
        self.options = options
        self.clock = clock
        self.network = network
        exchange = HTTPExchange(address, options, terminalID: account.terminalID, over: try network())
    }

    /// Uses another address from now on, and keeps no data of the previous one.
    public func use(_ address: GatewayAddress, account: Account) throws(HostError) {
        exchange = HTTPExchange(address, options, terminalID: account.terminalID, over: try network())
        self.account = account
        extensions = .unknown
        unnamed = []
        unansweredQuestions = 0
    }

    /// One message and its answer.
    ///
    /// - Throws: ``HostError/Failure/answerNotGenuine`` if the answer's hash was not made with the
    ///   secret.
    private func call(_ operation: StaticString, _ message: XMLMessage, movesMoney: Bool) async throws(HostError)
        -> XMLMessage
    {
        guard let form = XMLForm.exchanges.first(where: { $0.request.name == message.form.name })?.answer else {
            throw HostError(.notSupported, "the interface has no such message")
        }
        let hash = MessageHash(
            secret: account.secret, algorithm: account.usesLegacyMD5 ? .legacyMD5 : .sha512,
            coversCurrency: account.hasSeveralCurrencies)
        var document = message.element(hash).document
        let answer = try await exchange.send(
            operation, "POST", Self.path, headers: [("Content-Type", "text/xml")], body: SecretBytes(wiping: &document))
        if answer.status == 429, let root = try? XMLElement(parsing: answer.body),
            let read = try? XMLMessage(root, among: [.error]),
            let error = read.hostError(movesMoney: movesMoney), error.code == .failed(.unreachable)
        {
            throw error
        }
        guard answer.status == 200 else {
            // Errors of the interface come with status 200: any other may come from a system on the
            // way.
            throw answer.errorOfNoGateway(movesMoney ? .noAnswer : .internalError)
        }
        guard let root = try? XMLElement(parsing: answer.body), let read = try? XMLMessage(root, among: [form, .error])
        else {
            throw HostError(
                .answerNotGenuine, "the gateway's answer is an unknown message: look up the order before you try again")
        }
        if let error = read.hostError(movesMoney: movesMoney) { throw error }
        guard read.isGenuine(answering: message, hash) else {
            throw HostError(
                .answerNotGenuine,
                "the hash of the gateway's answer is wrong: check the shared secret, and look up the order")
        }
        return read
    }

    /// Whether the host has what the published interface has no message for; nil while that is
    /// open. A host that has it is not asked again.
    private func askForExtensions() async throws(HostError) -> Bool? {
        if case .named = extensions { return true }
        let answer: HTTPExchange.Answer
        do throws(HostError) {
            answer = try await exchange.send("options", "OPTIONS", Self.path, headers: [])
        } catch {
            // Nothing of the operation itself has left yet.
            throw error.leavesOutcomeUnknown ? error.beforeRequest : error
        }
        switch answer.status {
        case _ where answer.namesExtensions: extensions = .named
        case 200..<500, 501: extensions.missed(at: .now)
        default: throw answer.errorOfNoGateway(.unreachable)
        }
        return extensions.areThere(at: .now)
    }

    /// - Throws: ``HostError/Failure/internalError`` while it is open: a reversal must not be given
    ///   up for one stray answer.
    private func hasExtensions() async throws(HostError) -> Bool {
        guard let areThere = try await askForExtensions() else {
            throw HostError(
                .internalError,
                "the gateway did not say whether it can look up and reverse orders: try again in ten minutes")
        }
        return areThere
    }

    private func requireExtensions(_ what: String, of orderID: OrderID) async throws(HostError) {
        guard !unnamed.contains(orderID), try await hasExtensions() else {
            throw HostError(.notSupported, "the gateway's XML interface cannot \(what): use its REST interface")
        }
    }

    /// Whether a refund or a capture is sent with its order id, as the extensions have it. It does
    /// not wait for ten minutes: if there are extensions all the same, the host cannot look this
    /// order up, and nobody may ask it to.
    private func names(_ request: ReferencedRequest) async throws(HostError) -> Bool {
        for _ in 0..<XMLExtensions.answers {
            if let areThere = try await askForExtensions() { return areThere }
        }
        unnamed.insert(request.orderID)
        return false
    }
}

extension XMLGateway: PaymentHost {
    public func settings() async throws(HostError) -> HostSettings {
        throw HostError(
            .notSupported, "the gateway's XML interface does not report the terminal's settings: use its REST interface"
        )
    }

    public func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        guard request.processing != .approvedOffline else {
            throw HostError(
                .notSupported, "the gateway's XML interface does not accept offline approvals: use its REST interface")
        }
        let message = try XMLMessage(request, trackFormat: account.trackFormat)
        let registration = try request.registration.map { registration throws(HostError) in
            try XMLMessage(registration, .registration, terminalID: account.terminalID, at: request.timestamp)
        }
        let response = try await call("authorize", message, movesMoney: true).response(requested: request.amount)
        guard let registration, response.issuer.responseCode == "00" else { return response }
        // The payment is done: without a token the application registers the card again.
        do throws(HostError) {
            return response.with(try await call("register secure card", registration, movesMoney: false).token())
        } catch {
            return response.with(nil, note: "the card was not registered: \(error)")
        }
    }

    public func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        let message = XMLMessage(refund: request, namesOrder: try await names(request))
        return try await call("refund", message, movesMoney: true).response(requested: request.amount)
    }

    public func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        let message = XMLMessage(capture: request, namesOrder: try await names(request))
        return try await call("capture", message, movesMoney: true).response(requested: request.amount)
    }

    public func advise(_ advice: Advice) async throws(HostError) {
        switch advice.result {
        case .finished: return
        case .declinedOffline:
            throw HostError(
                .notSupported, "the gateway's XML interface has no advice of an offline decline: use its REST interface"
            )
        case .reversed(let reason):
            try await requireExtensions("reverse an order by its id", of: advice.orderID)
            var message = XMLMessage(.reversal)
            message[.orderID] = advice.orderID.text
            message[.terminalID] = account.terminalID
            message[.reason] = reason.rawValue
            message[.dateTime] = GatewayDate.text(clock())
            guard try await call("reverse", message, movesMoney: true)[.orderID] == advice.orderID.text else {
                throw HostError(
                    .answerNotGenuine, "the gateway's answer is about another order: the reversal stays pending")
            }
        }
    }

    public func status(of orderID: OrderID) async throws(HostError) -> OrderStatus {
        try await requireExtensions("look up an order by its id", of: orderID)
        var message = XMLMessage(.orderStatus)
        message[.orderID] = orderID.text
        message[.terminalID] = account.terminalID
        message[.dateTime] = GatewayDate.text(clock())
        return try await call("order status", message, movesMoney: false).orderStatus()
    }

    /// The published interface gives refunds and captures no order ids.
    public func knowsReferencedRequestsByOrder() async throws(HostError) -> Bool { try await hasExtensions() }

    /// A host for tests announces itself with its answer to `OPTIONS`, which is the first request.
    public var testOnlyReason: String? {
        get async {
            let exchange = exchange
            if !exchange.hasAnswered, unansweredQuestions < XMLExtensions.answers {
                do throws(HostError) {
                    let answer = try await exchange.send("options", "OPTIONS", Self.path, headers: [])
                    if exchange === self.exchange, answer.namesExtensions { extensions = .named }
                    if exchange === self.exchange, !exchange.hasAnswered { unansweredQuestions += 1 }
                } catch {
                    // A gateway that leaves such requests without an answer is no host for tests.
                    if exchange === self.exchange, error.code == .failed(.noAnswer) { unansweredQuestions += 1 }
                }
            }
            return exchange.testOnlyReason
        }
    }

    /// The interface has no such message.
    public func verifiesAccounts() async throws(HostError) -> Bool { false }

    public func fieldsNotCarried() async throws(HostError) -> Set<PaymentField> {
        [
            .tip, .descriptor, .externalID, .duplicateCheck, .tipAdjustment, .partialApproval, .signature,
            .referralApproval, .declineAdvice,
        ]
    }

    public func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page {
        throw HostError(
            .notSupported, "the gateway's XML interface has no list of transactions: use its REST interface")
    }

    public func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        let message = try XMLMessage(registration, .registration, terminalID: account.terminalID, at: clock())
        return registration.kept(as: try await call("register secure card", message, movesMoney: false).token())
    }

    public func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard {
        let message = XMLMessage(reference, terminalID: account.terminalID, at: clock())
        return try await call("retrieve secure card", message, movesMoney: false).secureCard()
    }

    public func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        var message = try XMLMessage(registration, .update, terminalID: account.terminalID, at: clock())
        if registration.card == nil {
            // The message names the scheme, of a card that stays as it is too.
            let search = XMLMessage(registration.merchantReference, terminalID: account.terminalID, at: clock())
            message[.cardType] = try await call("retrieve secure card", search, movesMoney: false)[.cardType]
        }
        return registration.kept(as: try await call("update secure card", message, movesMoney: false).token())
    }

    public func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
        let message = XMLMessage(reference, removing: token, terminalID: account.terminalID, at: clock())
        _ = try await call("delete secure card", message, movesMoney: false)
    }
}

extension AuthorizationRequest {
    /// The card to register with the payment; nil if the payment registers no card.
    fileprivate var registration: SecureCardRegistration? {
        secureCard.map {
            SecureCardRegistration(
                merchantReference: $0.merchantReference, details: $0.details, card: card, readerName: $0.readerName)
        }
    }
}

extension AuthorizationResponse {
    fileprivate func with(_ token: SecureCardReference?, note: String? = nil) -> AuthorizationResponse {
        AuthorizationResponse(
            uniqueReference: uniqueReference, issuer: issuer, authorizedAmount: authorizedAmount, card: card,
            secureCardReference: token,
            checks: checks, message: [message, note].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "; "))
    }
}

extension SecureCardRegistration {
    /// The secure card that the gateway keeps; of the details the interface takes the custom fields
    /// only.
    fileprivate func kept(as token: SecureCardReference) -> SecureCard {
        var details = SecureCard.Details()
        details.customFields = self.details.customFields
        return SecureCard(
            merchantReference: merchantReference, cardReference: token, card: summary, entryMode: entryMode,
            readerName: readerName, details: details)
    }
}

/// What is known of an XML gateway's extensions, which its answer to `OPTIONS` names.
///
/// The published interface has no such answer, and a system on the way may give any other. A
/// reversal is given up where there are no extensions, so one answer without them does not tell.
enum XMLExtensions {
    case unknown
    case notNamed(times: Int, since: ContinuousClock.Instant)
    case named

    /// A system on the way does not answer so often, and for so long.
    static let answers = 3
    static let duration = Duration.seconds(600)

    mutating func missed(at now: ContinuousClock.Instant) {
        if case .notNamed(let times, let since) = self {
            self = .notNamed(times: times + 1, since: since)
        } else {
            self = .notNamed(times: 1, since: now)
        }
    }

    /// Nil while it is open.
    func areThere(at now: ContinuousClock.Instant) -> Bool? {
        switch self {
        case .unknown: nil
        case .notNamed(let times, let since): times >= Self.answers && now - since >= Self.duration ? false : nil
        case .named: true
        }
    }
}

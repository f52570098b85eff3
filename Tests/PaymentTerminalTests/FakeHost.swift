import CardCapture
import PaymentTerminal
import Synchronization

/// A host that answers as the test says and remembers what it was asked.
final class FakeHost: PaymentHost {
    struct Log {
        var authorizations: [AuthorizationRequest] = []
        var advices: [Advice] = []
        var registrations: [SecureCardRegistration] = []
        var deletions: [(MerchantReference, SecureCardReference)] = []
        var retrievals = 0
        var refunds: [ReferencedRequest] = []
        var captures: [ReferencedRequest] = []
        var inquiries: [OrderID] = []
        var queries: [TransactionQuery] = []
        var approvalCodes: [String] = []
        /// What the host has taken, although its answer may be lost.
        var taken: [TransactionRecord] = []
    }

    /// What the host says when it is asked about what is not a card's authorisation.
    struct Script: Sendable {
        var status: @Sendable (OrderID) throws(HostError) -> OrderStatus = { _ in .notSeen }
        var referenced: @Sendable (ReferencedRequest) throws(HostError) -> AuthorizationResponse = { request in
            AuthorizationResponse(
                uniqueReference: "U000000002", issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: "654321"),
                authorizedAmount: request.amount, message: "APPROVAL")
        }
        var referral: @Sendable (String) throws(HostError) -> AuthorizationResponse = { code in
            AuthorizationResponse(
                uniqueReference: "U000000001", issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: code),
                authorizedAmount: Money(minorUnits: 1234, currency: .euro), message: "APPROVAL")
        }
        var advice: @Sendable (Advice) async throws(HostError) -> Void = { _ in }
        var settings: HostSettings?
        /// In addition to what was authorized here.
        var transactions: [TransactionRecord] = []
        /// Why there is no list.
        var listError: HostError?
        var knowsReferencedRequestsByOrder = true
        var verifiesAccounts = true
        var fieldsNotCarried: Set<PaymentField> = []
        /// What happens to the next changes of secure cards; afterwards each arrives.
        var changes: [ChangeFate] = []
        /// Whether a secure card that was not registered here is unknown.
        var knowsItsCardsAlone = false
        /// Whether it tells no number of a card that it keeps, as the XML interface.
        var hidesNumbers = false
        /// Why nothing can be asked about secure cards now.
        var retrievalError: HostError?
    }

    enum ChangeFate: Sendable {
        /// It is made, and its answer is lost.
        case answerIsLost
        /// It comes twice, and is made once: the answer is that of the second.
        case isDoubled
        /// It may have left, and is never made.
        case isLost
        case fails(HostError)
    }

    private let log = Mutex(Log())
    private let adviceError = Mutex<HostError?>(nil)
    private let script = Mutex(Script())
    private let secureCards = Mutex<[MerchantReference: SecureCard]>([:])
    private let answer: @Sendable (AuthorizationRequest) async throws(HostError) -> AuthorizationResponse

    init(answer: @escaping @Sendable (AuthorizationRequest) async throws(HostError) -> AuthorizationResponse) {
        self.answer = answer
    }

    /// A host that gives every request the same response code.
    convenience init(responseCode: String = "00", message: String = "APPROVAL") {
        self.init { request throws(HostError) in
            AuthorizationResponse(
                uniqueReference: "U000000001",
                issuer: IssuerAnswer.Answer(
                    responseCode: responseCode, approvalCode: responseCode == "00" ? "123456" : nil),
                authorizedAmount: request.amount,
                secureCardReference: request.secureCard == nil ? nil : FakeHost.token, message: message)
        }
    }

    convenience init(failing error: HostError) {
        self.init { _ throws(HostError) in throw error }
    }

    static let token = SecureCardReference("2967531234567894")

    var seen: Log { log.withLock { $0 } }

    func failAdvices(with error: HostError?) { adviceError.withLock { $0 = error } }

    func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        log.withLock { $0.authorizations.append(request) }
        return try await taking(TransactionRecord(request)) { () async throws(HostError) in try await answer(request) }
    }

    func advise(_ advice: Advice) async throws(HostError) {
        if Task.isCancelled { throw HostError(.unreachable, "cancelled") }
        if let error = adviceError.withLock({ $0 }) { throw error }
        let answer = script.withLock { $0.advice }
        try await answer(advice)
        log.withLock { $0.advices.append(advice) }
    }

    func play(_ change: (inout Script) -> Void) { script.withLock { change(&$0) } }

    func settings() async throws(HostError) -> HostSettings {
        guard let settings = script.withLock({ $0.settings }) else {
            throw HostError(.notSupported, "this host has no settings")
        }
        return settings
    }

    func approveReferral(of orderID: OrderID, approvalCode: String) async throws(HostError) -> AuthorizationResponse {
        log.withLock { $0.approvalCodes.append(approvalCode) }
        let answer = script.withLock { $0.referral }
        return try answer(approvalCode)
    }

    func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        log.withLock { $0.refunds.append(request) }
        let answer = script.withLock { $0.referenced }
        return try await taking(TransactionRecord(request, .refund)) { () async throws(HostError) in try answer(request)
        }
    }

    func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        log.withLock { $0.captures.append(request) }
        let answer = script.withLock { $0.referenced }
        return try await taking(TransactionRecord(request, .capture)) { () async throws(HostError) in
            try answer(request)
        }
    }

    private func taking(
        _ record: TransactionRecord, _ body: () async throws(HostError) -> AuthorizationResponse
    ) async throws(HostError) -> AuthorizationResponse {
        do throws(HostError) {
            let answer = try await body()
            log.withLock { $0.taken.append(record) }
            return answer
        } catch {
            if error.leavesOutcomeUnknown { log.withLock { $0.taken.append(record) } }
            throw error
        }
    }

    func status(of orderID: OrderID) async throws(HostError) -> OrderStatus {
        log.withLock { $0.inquiries.append(orderID) }
        let answer = script.withLock { $0.status }
        return try answer(orderID)
    }

    func knowsReferencedRequestsByOrder() async throws(HostError) -> Bool {
        script.withLock { $0.knowsReferencedRequestsByOrder }
    }

    func verifiesAccounts() async throws(HostError) -> Bool { script.withLock { $0.verifiesAccounts } }
    func fieldsNotCarried() async throws(HostError) -> Set<PaymentField> { script.withLock { $0.fieldsNotCarried } }

    func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page {
        let seen = log.withLock { log in
            log.queries.append(query)
            return log.taken
        }
        let (scripted, error) = script.withLock { ($0.transactions, $0.listError) }
        if let error { throw error }
        let listed = scripted + seen.filter { record in !scripted.contains { $0.orderID == record.orderID } }
        return TransactionQuery.Page(listed.filter { query.orderID == nil || $0.orderID == query.orderID })
    }

    func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        log.withLock { $0.registrations.append(registration) }
        return try keep(registration)
    }

    func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard {
        log.withLock { $0.retrievals += 1 }
        let (error, knowsItsCardsAlone) = script.withLock { ($0.retrievalError, $0.knowsItsCardsAlone) }
        if let error { throw error }
        if var kept = secureCards.withLock({ $0[reference] }) {
            if script.withLock({ $0.hidesNumbers }) {
                kept.card = CardSummary(maskedPAN: "", expiry: kept.card?.expiry)
            }
            return kept
        }
        guard !knowsItsCardsAlone else { throw HostError(.secureCardUnknown, "unknown") }
        return SecureCard(merchantReference: reference, cardReference: Self.token)
    }

    func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        log.withLock { $0.registrations.append(registration) }
        return try keep(registration)
    }

    func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
        log.withLock { $0.deletions.append((reference, token)) }
        try change { secureCards.withLock { $0[reference] = nil } }
    }

    private func keep(_ registration: SecureCardRegistration) throws(HostError) -> SecureCard {
        let card = kept(registration)
        try change { secureCards.withLock { $0[registration.merchantReference] = card } }
        return card
    }

    private func change(_ make: () -> Void) throws(HostError) {
        switch script.withLock({ $0.changes.isEmpty ? nil : $0.changes.removeFirst() }) {
        case nil: make()
        case .answerIsLost:
            make()
            throw HostError(.noAnswer, "no answer")
        case .isDoubled:
            make()
            throw HostError(.secureCardExists, "the merchant reference already exists")
        case .isLost: throw HostError(.noAnswer, "no answer")
        case .fails(let error): throw error
        }
    }

    private func kept(_ registration: SecureCardRegistration) -> SecureCard {
        SecureCard(
            merchantReference: registration.merchantReference, cardReference: Self.token, card: registration.summary,
            details: registration.details)
    }
}

extension TransactionRecord {
    /// What a host lists of a payment that it has taken.
    init(_ request: AuthorizationRequest) {
        let kind: Kind =
            switch request.purpose {
            case .sale: .sale
            case .preAuthorization: .preAuthorization
            case .refund: .refund
            case .accountVerification: .accountVerification
            }
        self.init(
            orderID: request.orderID, uniqueReference: "U000000001", kind: kind, state: .approved,
            amount: request.amount)
        timestamp = request.timestamp
        maskedPAN =
            switch request.card {
            case .captured(let card): CardSummary(card).maskedPAN
            case .keyed(let card, _): CardSummary(card).maskedPAN
            case .token: nil
            }
    }

    /// What a host lists of a refund or a capture that it has taken.
    init(_ request: ReferencedRequest, _ kind: Kind) {
        self.init(
            orderID: request.orderID, uniqueReference: "U000000002", kind: kind, state: .approved,
            amount: request.amount)
        timestamp = request.timestamp
    }
}

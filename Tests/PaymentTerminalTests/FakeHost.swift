import CardReaders
import PaymentTerminal
import Synchronization

/// A host that answers as the test says and remembers what it was asked.
final class FakeHost: PaymentHost {
    struct Log {
        var authorizations: [AuthorizationRequest] = []
        var completions: [Completion] = []
        var registrations: [SecureCardRegistration] = []
        var deletions: [(MerchantReference, SecureCardReference)] = []
        var retrievals = 0
    }

    private let log = Mutex(Log())
    private let completionError = Mutex<HostError?>(nil)
    private let answer: @Sendable (AuthorizationRequest) async throws(HostError) -> AuthorizationResponse

    init(answer: @escaping @Sendable (AuthorizationRequest) async throws(HostError) -> AuthorizationResponse) {
        self.answer = answer
    }

    /// A host that gives every request the same response code.
    convenience init(responseCode: String = "00", message: String = "APPROVAL") {
        self.init { request throws(HostError) in
            AuthorizationResponse(
                uniqueReference: "U000000001",
                issuer: IssuerAnswer.Answer(responseCode: responseCode, authorisationCode: responseCode == "00" ? "123456" : nil),
                authorizedAmount: request.amount,
                secureCardReference: request.secureCard == nil ? nil : FakeHost.token, message: message)
        }
    }

    convenience init(failing error: HostError) {
        self.init { _ throws(HostError) in throw error }
    }

    static let token = SecureCardReference("2967531234567894")

    var seen: Log { log.withLock { $0 } }

    func failCompletions(with error: HostError?) { completionError.withLock { $0 = error } }

    func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        log.withLock { $0.authorizations.append(request) }
        return try await answer(request)
    }

    func complete(_ completion: Completion) async throws(HostError) {
        if Task.isCancelled { throw HostError(.unreachable, "cancelled") }
        if let error = completionError.withLock({ $0 }) { throw error }
        log.withLock { $0.completions.append(completion) }
    }

    func settings() async throws(HostError) -> HostSettings { throw HostError(.notSupported, "not played") }

    func follow(_ request: FollowUp) async throws(HostError) -> AuthorizationResponse { throw HostError(.notSupported, "not played") }

    func status(of orderID: OrderID) async throws(HostError) -> OrderStatus { .notSeen }

    func transactions(_ query: TransactionQuery) async throws(HostError) -> [TransactionRecord] { [] }

    func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        log.withLock { $0.registrations.append(registration) }
        return kept(registration)
    }

    func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard {
        log.withLock { $0.retrievals += 1 }
        return SecureCard(merchantReference: reference, cardReference: Self.token)
    }

    func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        log.withLock { $0.registrations.append(registration) }
        return kept(registration)
    }

    func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
        log.withLock { $0.deletions.append((reference, token)) }
    }

    private func kept(_ registration: SecureCardRegistration) -> SecureCard {
        SecureCard(
            merchantReference: registration.merchantReference, cardReference: Self.token, card: CardSummary(registration.card),
            details: registration.details)
    }
}

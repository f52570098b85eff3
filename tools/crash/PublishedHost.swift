import BenchHost
import PaymentTerminal

/// The bench host as a gateway without our extensions shows it: refunds and captures have no order ids, the card's last word is not asked for,
/// and a reversal that comes before its order is not remembered.
struct PublishedHost: PaymentHost {
    let host: BenchHost

    func knowsFollowUpsByOrder() async throws(HostError) -> Bool { false }

    func complete(_ completion: Completion) async throws(HostError) {
        if case .finished = completion.result { return }
        if case .reversed = completion.result, case .notSeen = try await host.status(of: completion.orderID) { return }
        try await host.complete(completion)
    }

    func settings() async throws(HostError) -> HostSettings { try await host.settings() }
    func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse { try await host.authorize(request) }
    func follow(_ request: FollowUp) async throws(HostError) -> AuthorizationResponse { try await host.follow(request) }
    func status(of orderID: OrderID) async throws(HostError) -> OrderStatus { try await host.status(of: orderID) }
    func transactions(_ query: TransactionQuery) async throws(HostError) -> [TransactionRecord] { try await host.transactions(query) }
    func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        try await host.registerSecureCard(registration)
    }
    func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard {
        try await host.retrieveSecureCard(reference)
    }
    func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        try await host.updateSecureCard(registration)
    }
    func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
        try await host.deleteSecureCard(reference, token: token)
    }
}

import BenchHost
import PaymentTerminal

/// The bench host as a gateway without our extensions shows it: refunds and captures have no order ids, the card's last word is not asked for,
/// and a reversal that comes before its order is not remembered.
struct PublishedHost: PaymentHost {
    let host: BenchHost

    func knowsReferencedRequestsByOrder() async throws(HostError) -> Bool { false }

    func advise(_ advice: Advice) async throws(HostError) {
        if case .finished = advice.result { return }
        if case .reversed = advice.result, case .notSeen = try await host.status(of: advice.orderID) { return }
        try await host.advise(advice)
    }

    func settings() async throws(HostError) -> HostSettings { try await host.settings() }
    func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse { try await host.authorize(request) }
    func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse { try await host.refund(request) }
    func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse { try await host.capture(request) }
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

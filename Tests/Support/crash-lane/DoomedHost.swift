import PaymentTerminal

/// A host around each of whose answers the process may die, behind a network that may be down or
/// lose an answer.
struct DoomedHost: PaymentHost {
    enum Network: Sendable {
        case good
        case down
        /// The answer to an authorisation is lost, and so is every inquiry after it.
        case losesAnswers
        /// The answer to the approval code of a referral is lost, and so is every inquiry after it.
        case losesAnswersToApprovalCodes
    }

    let host: any PaymentHost
    let doom: Doom
    let network: Network

    private func call<Success>(
        concernsApprovalCode: Bool = false, _ body: () async throws(HostError) -> Success
    ) async throws(HostError) -> Success {
        if case .down = network { throw HostError(.unreachable, "the network is down") }
        doom.point()
        let result = try await body()
        doom.point()
        switch network {
        case .losesAnswers: throw HostError(.noAnswer, "the answer was lost")
        case .losesAnswersToApprovalCodes where concernsApprovalCode: throw HostError(.noAnswer, "the answer was lost")
        case .good, .down, .losesAnswersToApprovalCodes: break
        }
        return result
    }

    func settings() async throws(HostError) -> HostSettings {
        try await call { () async throws(HostError) in try await host.settings() }
    }

    func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        try await call { () async throws(HostError) in try await host.authorize(request) }
    }

    func approveReferral(of orderID: OrderID, approvalCode: String) async throws(HostError) -> AuthorizationResponse {
        try await call(concernsApprovalCode: true) { () async throws(HostError) in
            try await host.approveReferral(of: orderID, approvalCode: approvalCode)
        }
    }

    func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        try await call { () async throws(HostError) in try await host.refund(request) }
    }

    func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        try await call { () async throws(HostError) in try await host.capture(request) }
    }

    func advise(_ advice: Advice) async throws(HostError) {
        try await call { () async throws(HostError) in try await host.advise(advice) }
    }

    func status(of orderID: OrderID) async throws(HostError) -> OrderStatus {
        try await call(concernsApprovalCode: true) { () async throws(HostError) in try await host.status(of: orderID) }
    }

    func knowsReferencedRequestsByOrder() async throws(HostError) -> Bool {
        try await call { () async throws(HostError) in try await host.knowsReferencedRequestsByOrder() }
    }

    func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page {
        try await call { () async throws(HostError) in try await host.transactions(query) }
    }

    func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        try await call { () async throws(HostError) in try await host.registerSecureCard(registration) }
    }

    func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard {
        try await call { () async throws(HostError) in try await host.retrieveSecureCard(reference) }
    }

    func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        try await call { () async throws(HostError) in try await host.updateSecureCard(registration) }
    }

    func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
        try await call { () async throws(HostError) in try await host.deleteSecureCard(reference, token: token) }
    }
}

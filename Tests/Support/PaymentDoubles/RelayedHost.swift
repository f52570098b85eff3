package import PaymentTerminal

/// A host in front of another one: what a double does not implement itself goes to the other host.
package protocol RelayedHost: PaymentHost {
    /// The other host.
    ///
    /// - Throws: `HostError` if it cannot be reached.
    func relayed() throws(HostError) -> any PaymentHost
}

extension RelayedHost {
    package func settings() async throws(HostError) -> HostSettings { try await relayed().settings() }
    package func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        try await relayed().authorize(request)
    }
    package func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        try await relayed().refund(request)
    }
    package func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        try await relayed().capture(request)
    }
    package func advise(_ advice: Advice) async throws(HostError) { try await relayed().advise(advice) }
    package func status(of orderID: OrderID) async throws(HostError) -> OrderStatus {
        try await relayed().status(of: orderID)
    }
    package func knowsReferencedRequestsByOrder() async throws(HostError) -> Bool {
        try await relayed().knowsReferencedRequestsByOrder()
    }
    package func approveReferral(of orderID: OrderID, approvalCode: String) async throws(HostError)
        -> AuthorizationResponse
    {
        try await relayed().approveReferral(of: orderID, approvalCode: approvalCode)
    }
    package func verifiesAccounts() async throws(HostError) -> Bool { try await relayed().verifiesAccounts() }
    package func fieldsNotCarried() async throws(HostError) -> Set<PaymentField> {
        try await relayed().fieldsNotCarried()
    }
    package func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page {
        try await relayed().transactions(query)
    }
    package func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        try await relayed().registerSecureCard(registration)
    }
    package func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard {
        try await relayed().retrieveSecureCard(reference)
    }
    package func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        try await relayed().updateSecureCard(registration)
    }
    package func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
        try await relayed().deleteSecureCard(reference, token: token)
    }
}

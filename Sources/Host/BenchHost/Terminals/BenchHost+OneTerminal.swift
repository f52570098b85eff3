public import PaymentTerminal

extension BenchHost {
    /// The host as one terminal sees it, as over HTTP: orders, order ids and secure cards of others
    /// do not exist.
    ///
    /// The bench host itself speaks for all terminals, and refuses to choose where several have an
    /// order with one id. Several terminals in one process that share order ids each get their own.
    /// Only one that was added with ``save(_:)`` has secure cards of its own.
    public func host(of terminalID: String) -> any PaymentHost { OneTerminal(bench: self, terminalID: terminalID) }
}

private struct OneTerminal: PaymentHost {
    let bench: BenchHost
    let terminalID: String

    var testOnlyReason: String? { bench.testOnlyReason }

    func settings() async throws(HostError) -> HostSettings { try await bench.settings(of: terminalID) }

    func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        try check(request.terminalID)
        return try await bench.authorize(request)
    }

    func approveReferral(of orderID: OrderID, approvalCode: String) async throws(HostError) -> AuthorizationResponse {
        try await bench.approveReferral(of: orderID, approvalCode: approvalCode, by: [terminalID]).answer
    }

    func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        try check(request.terminalID)
        return try await bench.refund(request)
    }

    func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        try check(request.terminalID)
        return try await bench.capture(request)
    }

    func advise(_ advice: Advice) async throws(HostError) {
        if case .declinedOffline(let request) = advice.result { try check(request.terminalID) }
        try await bench.advise(advice, by: [terminalID])
    }

    func status(of orderID: OrderID) async throws(HostError) -> OrderStatus {
        try await bench.status(of: orderID, for: [terminalID])
    }
    func knowsReferencedRequestsByOrder() async throws(HostError) -> Bool {
        try await bench.knowsReferencedRequestsByOrder()
    }

    func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page {
        try await bench.transactions(query, of: terminalID)
    }

    func verifiesAccounts() async throws(HostError) -> Bool { try await bench.verifiesAccounts() }
    func fieldsNotCarried() async throws(HostError) -> Set<PaymentField> { try await bench.fieldsNotCarried() }

    func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        try await bench.registerSecureCard(registration, of: try await cardOwner())
    }

    func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard {
        try await bench.retrieveSecureCard(reference, of: try await cardOwner())
    }

    func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        try await bench.updateSecureCard(registration, of: try await cardOwner())
    }

    func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
        try await bench.deleteSecureCard(reference, token: token, of: try await cardOwner())
    }

    /// As a payment by token has it.
    private func cardOwner() async throws(HostError) -> String {
        try await bench.terminal(terminalID) == nil ? bench.hostSettings.terminalID : terminalID
    }

    private func check(_ sender: String) throws(HostError) {
        guard sender == terminalID else {
            throw HostError(.notAuthorized, "the request is of another terminal: ask its own host")
        }
    }
}

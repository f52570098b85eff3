internal import CardCapture
internal import PaymentDoubles
internal import PaymentTerminal

/// The host as the terminal has it, with what each question cost noted, and whether it may be asked
/// at all.
final class ObservedHost: RelayedHost {
    private let host: any PaymentHost
    private let world: World

    /// The order that a question is about. On the wire not every request names it.
    @TaskLocal static var order: OrderID?

    init(_ host: any PaymentHost, _ world: World) {
        self.host = host
        self.world = world
    }

    private func asked<Answer>(
        _ order: OrderID?, _ question: (any PaymentHost) async throws(HostError) -> Answer
    ) async throws(HostError) -> Answer {
        let number = world.shop.asks(order, world)
        defer { world.shop.ended(number, world) }
        let result = await Self.$order.withValue(order) { () async -> Result<Answer, HostError> in
            do throws(HostError) {
                return .success(try await question(host))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        // The verification of an account moves no money, and has no entry.
        guard request.purpose != .accountVerification else {
            return try await asked(request.orderID) { host throws(HostError) in try await host.authorize(request) }
        }
        let isDeferred = request.processing != .online
        world.shop.aboutToAsk(request.orderID, isDeferred: isDeferred, world)
        if !isDeferred { world.shop.leaves(request.orderID) }
        let answer: Result<AuthorizationResponse, HostError>
        do throws(HostError) {
            answer = .success(
                try await asked(request.orderID) { host throws(HostError) in try await host.authorize(request) })
        } catch {
            answer = .failure(error)
        }
        if !isDeferred { world.shop.cameBack(request.orderID, Task.isCancelled ? nil : answer) }
        return try answer.get()
    }

    func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        world.shop.aboutToAsk(request.orderID, isDeferred: false, world)
        return try await asked(request.orderID) { host throws(HostError) in try await host.refund(request) }
    }

    func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        world.shop.aboutToAsk(request.orderID, isDeferred: false, world)
        return try await asked(request.orderID) { host throws(HostError) in try await host.capture(request) }
    }

    func approveReferral(of orderID: OrderID, approvalCode: String) async throws(HostError) -> AuthorizationResponse {
        try await asked(orderID) { host throws(HostError) in
            try await host.approveReferral(of: orderID, approvalCode: approvalCode)
        }
    }

    func advise(_ advice: Advice) async throws(HostError) {
        if case .reversed = advice.result { world.shop.undoes(advice.orderID) }
        try await asked(advice.orderID) { host throws(HostError) in try await host.advise(advice) }
    }

    func status(of orderID: OrderID) async throws(HostError) -> OrderStatus {
        world.shop.hostTold(orderID, nil)
        let status = try await asked(orderID) { host throws(HostError) in try await host.status(of: orderID) }
        if !Task.isCancelled { world.shop.hostTold(orderID, status) }
        return status
    }

    func knowsReferencedRequestsByOrder() async throws(HostError) -> Bool {
        try await asked(nil) { host throws(HostError) in try await host.knowsReferencedRequestsByOrder() }
    }

    func fieldsNotCarried() async throws(HostError) -> Set<PaymentField> {
        try await asked(nil) { host throws(HostError) in try await host.fieldsNotCarried() }
    }

    func verifiesAccounts() async throws(HostError) -> Bool {
        try await asked(nil) { host throws(HostError) in try await host.verifiesAccounts() }
    }

    var testOnlyReason: String? {
        get async {
            guard world.swarm.exists(.announcement) else { return nil }
            world.occurs(.announcement)
            let reason = try? await asked(nil) { host throws(HostError) in await host.testOnlyReason }
            return reason ?? nil
        }
    }

    func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page {
        do throws(HostError) {
            return try await asked(nil) { host throws(HostError) in try await host.transactions(query) }
        } catch {
            // Without its list nobody sees whose order the host has told of.
            if let order = query.orderID { world.shop.hostTold(order, nil) }
            throw error
        }
    }

    func relayed() throws(HostError) -> any PaymentHost { host }
}

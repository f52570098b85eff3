internal import BenchHost
internal import CardCapture
internal import PaymentTerminal

/// The model host, or the bench host, without a gateway between: the line carries the interface's
/// own values.
final class DirectHost: PaymentHost {
    private let world: World
    private let line: Line

    init(_ world: World, life: Int) {
        self.world = world
        line = Line(world, life: life)
    }

    private func ask<Answer: Sendable>(
        _ what: StaticString, _ order: OrderID?, canBeDoubled: Bool = true, movesMoney: Bool = false,
        content: Line.Content = .other, model: @escaping () -> Result<Answer, HostError>,
        bench: @escaping EmbeddedBench.Question<Answer>
    ) async throws(HostError) -> Answer {
        let message = Line.Message<Result<Answer, HostError>>(
            name: "\(what) \(order?.text ?? "")", order: order, canBeDoubled: canBeDoubled,
            act: { [world] answered in
                if let host = world.bench { host.ask(bench, answered) } else { answered(model()) }
            },
            unavailable: { .failure(HostError(.internalError, "the host cannot do its work")) },
            bareStatus: { _ in .failure(HostError(movesMoney ? .noAnswer : .internalError, "a bare status")) },
            damaged: { _ in .failure(HostError(.answerNotGenuine, "the answer is damaged")) },
            unreachable: { .failure(HostError(.unreachable, $0)) }, noAnswer: { .failure(HostError(.noAnswer, $0)) },
            summary: Self.summary,
            content: content)
        return try await line.send(message).get()
    }

    private static func summary<Answer>(_ result: Result<Answer, HostError>) -> String {
        switch result {
        case .success(let answer as AuthorizationResponse): "\(answer.issuer.responseCode) \(answer.authorizedAmount)"
        case .success(let status as OrderStatus):
            switch status {
            case .notSeen: "not seen"
            case .pending: "pending"
            case .decided(let answer): "decided \(answer.issuer.responseCode)"
            case .reversed: "reversed"
            }
        case .success(let records as TransactionQuery.Page): "\(records.count) transactions"
        case .success: "done"
        case .failure(let error): "\(error.code)"
        }
    }

    // MARK: The host's interface

    func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        try await ask("authorize", request.orderID, movesMoney: true) { [world] in
            world.hostAuthorizes(request)
        } bench: { [world] host throws(HostError) in
            world.arrived(request)
            return try await host.authorize(request)
        }
    }

    func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        try await refer(.refund, request) { host throws(HostError) in try await host.refund(request) }
    }

    func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        try await refer(.capture, request) { host throws(HostError) in try await host.capture(request) }
    }

    private func refer(
        _ kind: TransactionRecord.Kind, _ request: ReferencedRequest,
        bench: @escaping EmbeddedBench.Question<AuthorizationResponse>
    ) async throws(HostError) -> AuthorizationResponse {
        let what: StaticString = kind == .refund ? "refund" : "capture"
        return try await ask(what, request.orderID, canBeDoubled: world.host.hasExtensions, movesMoney: true) {
            [world] in
            world.hostRefers(kind, request)
        } bench: { [world] host throws(HostError) in
            world.arrived(request)
            return try await bench(host)
        }
    }

    func approveReferral(of orderID: OrderID, approvalCode: String) async throws(HostError) -> AuthorizationResponse {
        try await ask("approval code", orderID, movesMoney: true, content: .approvalCode) { [world] in
            world.hostApprovesReferral(of: orderID, approvalCode)
        } bench: { host throws(HostError) in
            try await host.approveReferral(of: orderID, approvalCode: approvalCode)
        }
    }

    func advise(_ advice: Advice) async throws(HostError) {
        let (what, content): (StaticString, Line.Content) =
            switch advice.result {
            case .finished: ("confirm", .other)
            case .declinedOffline: ("advise", .other)
            case .reversed: ("reverse", .reversal)
            }
        try await ask(what, advice.orderID, content: content) { [world] in
            world.hostAdvises(advice)
        } bench: { host throws(HostError) in
            try await host.advise(advice)
        }
    }

    func status(of orderID: OrderID) async throws(HostError) -> OrderStatus {
        try await ask("status", orderID) { [world] in
            world.hostStatus(of: orderID)
        } bench: { host throws(HostError) in
            try await host.status(of: orderID)
        }
    }

    func knowsReferencedRequestsByOrder() async throws(HostError) -> Bool {
        try await ask("extensions", nil) { [world] in
            .success(world.host.hasExtensions)
        } bench: { host throws(HostError) in
            try await host.knowsReferencedRequestsByOrder()
        }
    }

    func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page {
        try await ask("list", query.orderID) { [world] in
            world.hostLists(query)
        } bench: { host throws(HostError) in
            try await host.transactions(query)
        }
    }

    // MARK: Secure cards

    func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        try await change("register card") { [world] in world.host.vault.register(registration) }
    }

    func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard {
        try await change("retrieve card", movesMoney: false) { [world] in world.host.vault.retrieve(reference) }
    }

    func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        try await change("update card") { [world] in world.host.vault.update(registration) }
    }

    func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
        try await change("delete card") { [world] in world.host.vault.delete(reference, token: token) }
    }

    private func change<Answer: Sendable>(
        _ what: StaticString, movesMoney: Bool = true, _ act: @escaping () -> Result<Answer, HostError>
    ) async throws(HostError) -> Answer {
        try await ask(what, nil, movesMoney: movesMoney, model: act) { _ throws(HostError) in throw Self.notSimulated }
    }

    func settings() async throws(HostError) -> HostSettings { throw Self.notSimulated }

    private static let notSimulated = HostError(.notSupported, "not simulated")
}

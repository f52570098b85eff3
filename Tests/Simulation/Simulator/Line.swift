internal import CardCapture
internal import PaymentTerminal

/// The way from one life of the process to the host and back: each message may be lost, late, doubled or refused.
///
/// It has no task of its own: what is on its way happens outside the process, and an answer to a dead process reaches nobody.
final class Line: PaymentHost, @unchecked Sendable {
    private let world: World
    private let life: Int

    init(_ world: World, life: Int) {
        self.world = world
        self.life = life
    }

    private enum Time {
        static let millisecond: Int64 = 1_000_000
        static let second: Int64 = 1_000_000_000
        /// How long a client waits for an answer.
        static let limit: Int64 = 30 * second
    }

    /// One question, and the task that waits for its answer.
    @safe private final class Call<Answer: Sendable>: @unchecked Sendable {
        var waiting: UnsafeContinuation<Result<Answer, HostError>, Never>?
        var hasLeft = false
        var isCancelled = false
        var isDeaf = false

        func end(_ result: Result<Answer, HostError>) {
            guard let waiting = unsafe waiting else { return }
            unsafe self.waiting = nil
            unsafe waiting.resume(returning: result)
        }

        func cancel() {
            isCancelled = true
            guard !isDeaf else { return }
            end(.failure(HostError(hasLeft ? .noAnswer : .unreachable, "cancelled")))
        }
    }

    private func ask<Answer: Sendable>(
        _ what: StaticString, _ order: OrderID?, canBeDoubled: Bool, movesMoney: Bool = false,
        _ act: @escaping () -> Result<Answer, HostError>
    ) async throws(HostError) -> Answer {
        let call = Call<Answer>()
        let result = await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { waiting in
                unsafe call.waiting = waiting
                depart(call, what, order, canBeDoubled, movesMoney, act)
            }
        } onCancel: {
            call.cancel()
        }
        return try result.get()
    }

    private func depart<Answer: Sendable>(
        _ call: Call<Answer>, _ what: StaticString, _ order: OrderID?, _ canBeDoubled: Bool, _ movesMoney: Bool,
        _ act: @escaping () -> Result<Answer, HostError>
    ) {
        guard world.isAlive(life) else { return }
        let name = "\(what) \(order?.text ?? "")"
        if call.isCancelled { return call.end(.failure(HostError(.unreachable, "cancelled"))) }
        call.isDeaf = world.strikes(.deafHostClient, .network, order: order)
        if call.isDeaf, let order { world.shop.disturbed.insert(order) }
        if !call.isDeaf {
            world.loop.after(Time.limit, "time-out", life: life) {
                call.end(.failure(HostError(call.hasLeft ? .noAnswer : .unreachable, "no answer in time")))
            }
        }
        if world.strikes(.partition, .network, order: order, outOf: 4) {
            world.partitionEnd = world.now + Int64(1 + world.draw(.network, "partition", 120)) * Time.second
        }
        let there = delay()
        if world.now < world.partitionEnd || world.strikes(.refused, .network, order: order) {
            world.loop.after(there, "refused", life: life) { [world] in
                world.note("\(name): unreachable")
                call.end(.failure(HostError(.unreachable, "the host cannot be reached")))
            }
            return
        }
        call.hasLeft = true
        world.note("\(name) leaves")
        let isSilent = order.map { world.shop.silenced.contains($0) } ?? false
        guard !isSilent, !world.strikes(.requestLost, .network, order: order) else { return }
        let isDoubled = canBeDoubled && world.strikes(.doubled, .network, order: order)
        let secondAnswers = isDoubled && world.draw(.network, "which answers", 2) == 1
        let again = delay()
        world.loop.after(there, "arrives") { [self] in
            // Who repeats a request hands on the answer to the last one, at least where the first was not taken.
            let wasTaken = arrive(call, name, order, answers: !secondAnswers, isLast: !isDoubled, movesMoney, act)
            guard isDoubled else { return }
            world.loop.after(again, "arrives again") { [self] in
                _ = arrive(call, name, order, answers: secondAnswers || !wasTaken, isLast: true, movesMoney, act)
            }
        }
    }

    /// - Returns: Whether the host took the request.
    private func arrive<Answer: Sendable>(
        _ call: Call<Answer>, _ name: String, _ order: OrderID?, answers: Bool, isLast: Bool, _ movesMoney: Bool,
        _ act: () -> Result<Answer, HostError>
    ) -> Bool {
        if world.strikes(.unavailable, .network, order: order) {
            guard isLast, answers else { return false }
            answer(delay()) { call.end(.failure(HostError(.failed, "the host cannot do its work"))) }
            return false
        }
        if world.strikes(.strayStatus, .network, order: order) {
            // From something on the way. Whether the host has acted nobody can see; a gateway client says so where money moves.
            let acts = world.draw(.network, "acts", 2) == 1
            if acts { _ = act() }
            guard answers else { return true }
            answer(delay()) { call.end(.failure(HostError(movesMoney ? .noAnswer : .failed, "a bare status"))) }
            return true
        }
        let result = act()
        world.note("\(name) arrives: \(Self.words(result))")
        guard answers, !world.strikes(.answerLost, .network, order: order) else { return true }
        var back = delay()
        if world.strikes(.answerLate, .network, order: order) { back += Time.limit + Int64(world.draw(.network, "late", 90)) * Time.second }
        let isDamaged = world.strikes(.notGenuine, .network, order: order)
        answer(back) { [world] in
            world.note("\(name) answered\(isDamaged ? ", damaged" : "")")
            if let order { world.shop.lastEvent[order] = "answer" }
            call.end(isDamaged ? .failure(HostError(.answerNotGenuine, "the answer is damaged")) : result)
        }
        return true
    }

    /// Has `action` happen in the process, if it is still the one that asked.
    private func answer(_ delay: Int64, _ action: @escaping () -> Void) {
        guard world.isAlive(life) else { return }
        world.loop.after(delay, "answer", life: life, action)
    }

    private func delay() -> Int64 {
        let delay = Int64(1 + world.draw(.network, "delay", 40)) * Time.millisecond
        return world.strikes(.slow, .network) ? delay * 200 : delay
    }

    private static func words<Answer>(_ result: Result<Answer, HostError>) -> String {
        switch result {
        case .success(let answer as AuthorizationResponse): "\(answer.issuer.responseCode) \(answer.authorizedAmount)"
        case .success(let status as OrderStatus):
            switch status {
            case .notSeen: "not seen"
            case .pending: "pending"
            case .decided(let answer): "decided \(answer.issuer.responseCode)"
            case .reversed: "reversed"
            }
        case .success(let records as [TransactionRecord]): "\(records.count) transactions"
        case .success: "done"
        case .failure(let error): "\(error.code)"
        }
    }

    // MARK: The host's interface

    func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        world.shop.aboutToAsk(request.orderID, isDeferred: request.processing == .deferred, world)
        let host = world.host
        let start = world.now
        defer { world.shop.spent(world.now - start, on: request.orderID) }
        return try await ask("authorize", request.orderID, canBeDoubled: true, movesMoney: true) { [world] in
            world.shop.arrived(request.orderID, isDeferred: request.processing == .deferred, world)
            let other = world.strikes(.otherAmount, .network, order: request.orderID)
            if world.strikes(.silentForOne, .network, order: request.orderID) { world.shop.silenced.insert(request.orderID) }
            return host.authorize(request, at: world.now, otherAmount: other)
        }
    }

    func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse { try await refer(.refund, request) }
    func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse { try await refer(.capture, request) }

    private func refer(_ kind: TransactionRecord.Kind, _ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        world.shop.aboutToAsk(request.orderID, isDeferred: false, world)
        let host = world.host
        let start = world.now
        defer { world.shop.spent(world.now - start, on: request.orderID) }
        return try await ask(kind == .refund ? "refund" : "capture", request.orderID, canBeDoubled: host.hasExtensions, movesMoney: true) {
            [world] in
            world.shop.arrived(request.orderID, isDeferred: false, world)
            return host.refer(kind, request, at: world.now)
        }
    }

    func advise(_ advice: Advice) async throws(HostError) {
        let host = world.host
        let what: StaticString =
            switch advice.result {
            case .finished: "confirm"
            case .approvedOffline: "advise"
            case .reversed: "reverse"
            }
        try await ask(what, advice.orderID, canBeDoubled: true) { [world] in host.advise(advice, at: world.now) }
    }

    func status(of orderID: OrderID) async throws(HostError) -> OrderStatus {
        let host = world.host
        let start = world.now
        defer { world.shop.spent(world.now - start, on: orderID) }
        return try await ask("status", orderID, canBeDoubled: true) { host.status(of: orderID) }
    }

    func settings() async throws(HostError) -> HostSettings { throw HostError(.notSupported, "not simulated") }

    func knowsReferencedRequestsByOrder() async throws(HostError) -> Bool {
        let host = world.host
        let start = world.now
        defer { world.shop.spentByAll(world.now - start) }
        return try await ask("extensions", nil, canBeDoubled: true) { .success(host.hasExtensions) }
    }

    func transactions(_ query: TransactionQuery) async throws(HostError) -> [TransactionRecord] {
        let host = world.host
        let start = world.now
        defer { world.shop.spentByAll(world.now - start) }
        return try await ask("list", query.orderID, canBeDoubled: true) { host.transactions(query) }
    }

    func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        throw HostError(.notSupported, "not simulated")
    }

    func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard {
        throw HostError(.notSupported, "not simulated")
    }

    func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        throw HostError(.notSupported, "not simulated")
    }

    func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
        throw HostError(.notSupported, "not simulated")
    }
}

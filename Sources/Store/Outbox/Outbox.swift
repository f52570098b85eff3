/// Deliveries that survive restarts: put once, tried until they arrive or are given up.
///
/// An attempt is written before it is made. If the process ends before its result is written, the
/// next start cannot know whether it arrived: ``Delivery/certainty`` then never says `once`.
///
/// Times are seconds since 1970, and jitter comes from the caller: an outbox has no clock.
public struct Outbox: Sendable {
    private let store: any OutboxStore
    private let policy: RetryPolicy

    /// In bytes, of one delivery.
    public static let maximumPayload = 1 << 20
    /// How many deliveries may wait or be attempted.
    public static let maximumOpen = 10_000

    /// An attempt that is written down, and may be made.
    public struct Attempt: Sendable, Equatable {
        public let delivery: Delivery
        /// From 1.
        public let number: Int
    }

    /// Takes over what `store` has. Attempts that were in progress may have arrived; they wait for
    /// the next, or are given up.
    ///
    /// Only one outbox at a time works on a store: the attempts of another would be taken for
    /// broken ones.
    ///
    /// - Parameter jitter: As of ``RetryPolicy/delay(after:jitter:)``.
    public init(_ store: some OutboxStore, policy: RetryPolicy = RetryPolicy(), at now: Int64, jitter: UInt16)
        async throws
    {
        self.store = store
        self.policy = policy
        for key in try await store.keys(.attempting, kind: nil, until: .max, limit: Self.maximumOpen) {
            _ = try await store.change(key) { delivery in
                try delivery.end(
                    attempt: delivery.state.attempts, .unknown("the program ended during the attempt"), at: now,
                    policy: policy, jitter: jitter)
            }
        }
    }

    /// Puts a delivery, to be tried at once. It is kept when the call returns. The same one again
    /// changes nothing, whatever has become of it.
    ///
    /// - Parameters:
    ///   - kind: Names who delivers it.
    ///   - payload: At most ``maximumPayload`` bytes.
    /// - Throws: ``OutboxError/keyTaken`` if another one has the key.
    @discardableResult public func put(
        _ key: DeliveryKey, kind: String, payload: [UInt8], at now: Int64
    ) async throws -> Delivery {
        guard payload.count <= Self.maximumPayload else { throw OutboxError.payloadTooLarge }
        let delivery = Delivery(key, kind: kind, payload: payload, state: .init(phase: .waiting, time: now))
        let kept = try await store.insert(delivery, maximumOpen: Self.maximumOpen)
        guard kept.kind == kind, kept.payload == payload else { throw OutboxError.keyTaken }
        return kept
    }

    /// What may be tried now, the earliest first.
    ///
    /// - Parameter kind: Those of this kind; nil for all.
    public func due(_ kind: String? = nil, at now: Int64, limit: Int = 100) async throws -> [DeliveryKey] {
        try await store.keys(.waiting, kind: kind, until: now, limit: limit)
    }

    /// Writes that an attempt begins. Nothing may be sent before this returns.
    ///
    /// - Throws: ``OutboxError/notDue``, so that two workers never make the same attempt.
    public func begin(_ key: DeliveryKey, at now: Int64) async throws -> Attempt {
        let delivery = try await store.change(key) { try $0.begin(at: now) }
        return Attempt(delivery: delivery, number: delivery.state.attempts)
    }

    /// Writes how an attempt ended. If that fails, the attempt stays open until the next start, which
    /// takes it for one that may have arrived.
    @discardableResult public func end(
        _ attempt: Attempt, _ result: Delivery.Result, at now: Int64, jitter: UInt16
    ) async throws -> Delivery {
        try await store.change(attempt.delivery.key) { [policy] delivery in
            try delivery.end(attempt: attempt.number, result, at: now, policy: policy, jitter: jitter)
        }
    }

    /// Nil if there is none, or if it is forgotten.
    public func delivery(_ key: DeliveryKey) async throws -> Delivery? { try await store.delivery(key) }

    /// What is in a phase, the earliest first.
    public func keys(_ phase: Delivery.State.Phase, limit: Int = 100) async throws -> [DeliveryKey] {
        try await store.keys(phase, kind: nil, until: .max, limit: limit)
    }

    /// Forgets what was delivered or given up before `time`. Put again, it would be delivered again.
    public func forget(endedBefore time: Int64) async throws { try await store.forget(endedBefore: time) }
}

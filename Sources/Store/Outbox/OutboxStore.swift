private import Synchronization

/// Where deliveries are kept. Each call is atomic, and what it wrote is kept when it returns.
public protocol OutboxStore: Sendable {
    /// Keeps `delivery` if its key is new.
    ///
    /// - Returns: The one that is kept under the key now.
    /// - Throws: ``OutboxError/full`` if `maximumOpen` deliveries wait or are attempted.
    func insert(_ delivery: Delivery, maximumOpen: Int) async throws -> Delivery
    /// Changes a delivery; nothing, if `change` throws.
    ///
    /// - Returns: The changed one.
    /// - Throws: ``OutboxError/notFound``, what `change` throws.
    func change(
        _ key: DeliveryKey, _ change: @escaping @Sendable (inout Delivery) throws -> Void
    ) async throws -> Delivery
    /// Nil if there is none.
    func delivery(_ key: DeliveryKey) async throws -> Delivery?
    /// The keys of a phase whose time is at most `time`, the earliest first, then in the order in
    /// which they were put.
    ///
    /// - Parameter kind: Those of this kind; nil for all.
    func keys(
        _ phase: Delivery.State.Phase, kind: String?, until time: Int64, limit: Int
    ) async throws -> [DeliveryKey]
    /// Forgets what ended before `time`.
    func forget(endedBefore time: Int64) async throws
}

/// Deliveries in memory, which end with the process.
public final class MemoryOutbox: OutboxStore {
    private let deliveries = Mutex<[Delivery]>([])

    public init() {}

    public func insert(_ delivery: Delivery, maximumOpen: Int) throws -> Delivery {
        try deliveries.withLock { deliveries in
            if let kept = deliveries.first(where: { $0.key == delivery.key }) { return kept }
            guard deliveries.count(where: \.isOpen) < maximumOpen else { throw OutboxError.full }
            deliveries.append(delivery)
            return delivery
        }
    }

    public func change(_ key: DeliveryKey, _ change: @Sendable (inout Delivery) throws -> Void) throws -> Delivery {
        try deliveries.withLock { deliveries in
            guard let index = deliveries.firstIndex(where: { $0.key == key }) else { throw OutboxError.notFound }
            var changed = deliveries[index]
            try change(&changed)
            deliveries[index] = changed
            return changed
        }
    }

    public func delivery(_ key: DeliveryKey) -> Delivery? {
        deliveries.withLock { $0.first { $0.key == key } }
    }

    public func keys(
        _ phase: Delivery.State.Phase, kind: String?, until time: Int64, limit: Int
    ) -> [DeliveryKey] {
        let found = deliveries.withLock { deliveries in
            deliveries.enumerated().filter { _, delivery in
                delivery.state.phase == phase && delivery.state.time <= time && (kind ?? delivery.kind) == delivery.kind
            }
        }
        let ordered = found.sorted { ($0.element.state.time, $0.offset) < ($1.element.state.time, $1.offset) }
        return ordered.prefix(max(0, limit)).map(\.element.key)
    }

    public func forget(endedBefore time: Int64) {
        deliveries.withLock { $0.removeAll { !$0.isOpen && $0.state.time < time } }
    }
}

extension Delivery {
    /// Whether it waits or is attempted.
    var isOpen: Bool { state.phase == .waiting || state.phase == .attempting }
}

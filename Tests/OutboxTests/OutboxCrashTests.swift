import Foundation
import SeededNumbers
import Synchronization
import Testing

@testable import Outbox

private struct Killed: Error {}

/// A store whose process is killed at one of its writes: before it, or behind it.
private final class DoomedStore: OutboxStore {
    private let store: any OutboxStore
    /// How many writes are left; the next ones never happen.
    private let left: Mutex<Int>
    private let isWritten: Bool

    init(_ store: any OutboxStore, after writes: Int, isWritten: Bool) {
        self.store = store
        left = Mutex(writes)
        self.isWritten = isWritten
    }

    private func write<Value>(_ body: () async throws -> Value) async throws -> Value {
        let turn = left.withLock { left in
            left -= 1
            return left
        }
        if turn >= 0 { return try await body() }
        if turn == -1, isWritten { _ = try await body() }
        throw Killed()
    }

    func insert(_ delivery: Delivery, maximumOpen: Int) async throws -> Delivery {
        try await write { try await store.insert(delivery, maximumOpen: maximumOpen) }
    }
    func change(
        _ key: DeliveryKey, _ change: @escaping @Sendable (inout Delivery) throws -> Void
    ) async throws -> Delivery {
        try await write { try await store.change(key, change) }
    }
    func delivery(_ key: DeliveryKey) async throws -> Delivery? { try await store.delivery(key) }
    func keys(
        _ phase: Delivery.State.Phase, kind: String?, until time: Int64, limit: Int
    ) async throws -> [DeliveryKey] {
        try await store.keys(phase, kind: kind, until: time, limit: limit)
    }
    func forget(endedBefore time: Int64) async throws { try await write { try await store.forget(endedBefore: time) } }
}

/// Whoever receives, and what has arrived there: the truth.
private final class Receiver: Sendable {
    private let arrived = Mutex<[DeliveryKey: Int]>([:])

    func take(_ key: DeliveryKey) { arrived.withLock { $0[key, default: 0] += 1 } }
    func count(_ key: DeliveryKey) -> Int { arrived.withLock { $0[key] ?? 0 } }
}

@Suite("Crashes of the outbox") struct OutboxCrashTests {
    /// What the outbox says must be true of what has arrived.
    private static func expectTruth(_ delivery: Delivery, _ count: Int, _ comment: Comment) {
        switch delivery.certainty {
        case .once: #expect(count == 1, comment)
        case .never, .notYet: #expect(count == 0, comment)
        case .perhapsTwice: #expect(count >= 1, comment)
        case .perhapsOnce, .perhapsAlready: break
        }
    }

    private static func work(_ store: some OutboxStore, _ receiver: Receiver, _ keys: [DeliveryKey]) async throws {
        let outbox = try await Outbox(store, policy: RetryPolicy(firstDelay: 1, longestDelay: 1), at: 0, jitter: 0)
        for key in keys { try await outbox.put(key, kind: "mail", payload: Array(key.text.utf8), at: 0) }
        for now: Int64 in 0...3 {
            for key in try await outbox.due(at: now) {
                let attempt = try await outbox.begin(key, at: now)
                if attempt.number == 1, key == keys.last {
                    try await outbox.end(attempt, .failed("busy"), at: now, jitter: 0)
                } else {
                    receiver.take(key)
                    try await outbox.end(attempt, .delivered, at: now, jitter: 0)
                }
            }
        }
    }

    @Test(
        "Killed at every write, before it and behind it: nothing is lost, and nothing doubled in silence",
        arguments: [false, true])
    func everyWrite(isWritten: Bool) async throws {
        let keys = try ["a", "b", "c"].map { try DeliveryKey($0) }
        var kills = 0
        for writes in 0..<40 {
            for isFile in [false, true] {
                try await withFolder { folder in
                    var store: any OutboxStore =
                        isFile ? try SQLiteOutbox(folder: folder, key: sealingKey) : MemoryOutbox()
                    let receiver = Receiver()
                    do {
                        try await Self.work(DoomedStore(store, after: writes, isWritten: isWritten), receiver, keys)
                    } catch is Killed {
                        kills += 1
                    }
                    if isFile {
                        try (store as? SQLiteOutbox)?.close()
                        store = try SQLiteOutbox(folder: folder, key: sealingKey)
                    }
                    for key in keys {
                        if let delivery = try await store.delivery(key) {
                            Self.expectTruth(delivery, receiver.count(key), "\(key) killed at \(writes)")
                        }
                    }
                    try await Self.work(store, receiver, keys)
                    for key in keys {
                        let delivery = try #require(try await store.delivery(key))
                        #expect(delivery.state.phase == .delivered)
                        Self.expectTruth(delivery, receiver.count(key), "\(key) killed at \(writes)")
                        #expect((1...2).contains(receiver.count(key)))
                    }
                }
            }
        }
        // Three puts, three times two writes, and two for the failure: 11 in each kind of store.
        #expect(kills == 22)
    }

    @Test("Random work with random kills, on two thousand seeds, says the truth of each delivery") func model()
        async throws
    {
        var certainties: Set<Delivery.Certainty> = []
        for seed in 0..<2000 {
            var numbers = SplitMix(seed: UInt64(seed))
            let store = MemoryOutbox()
            let receiver = Receiver()
            let keys = try (0..<4).map { try DeliveryKey("d\($0)") }
            let policy = RetryPolicy(firstDelay: 2, longestDelay: 8, maximumAttempts: 3)
            var now: Int64 = 0
            for _ in 0..<Int.random(in: 1...5, using: &numbers) {
                let doomed = DoomedStore(
                    store, after: Int.random(in: 0...25, using: &numbers), isWritten: .random(using: &numbers))
                try? await Self.life(doomed, receiver, keys, policy: policy, now: &now, numbers: &numbers)
            }
            for key in keys {
                guard let delivery = store.delivery(key) else { continue }
                certainties.insert(delivery.certainty)
                Self.expectTruth(delivery, receiver.count(key), "seed \(seed), \(key)")
                #expect(delivery.state.attempts <= policy.maximumAttempts)
                #expect(receiver.count(key) <= delivery.state.attempts)
            }
        }
        #expect(certainties == Set(Delivery.Certainty.allCases))
    }

    /// One start of the program, until it is killed or ends.
    private static func life(
        _ store: DoomedStore, _ receiver: Receiver, _ keys: [DeliveryKey], policy: RetryPolicy, now: inout Int64,
        numbers: inout SplitMix
    ) async throws {
        let outbox = try await Outbox(
            store, policy: policy, at: now, jitter: UInt16.random(in: 0 ... .max, using: &numbers))
        for _ in 0..<12 {
            now += Int64.random(in: 0...6, using: &numbers)
            let key = keys.randomElement(using: &numbers)!
            try await outbox.put(key, kind: "mail", payload: Array(key.text.utf8), at: now)
            guard let due = try await outbox.due(at: now).randomElement(using: &numbers) else { continue }
            let attempt = try await outbox.begin(due, at: now)
            let result: Delivery.Result
            switch Int.random(in: 0...7, using: &numbers) {
            case 0...2:
                receiver.take(due)
                result = .delivered
            case 3, 4: result = .failed("busy")
            case 5: result = .refused("unknown")
            case 6:
                receiver.take(due)
                result = .unknown("cut")
            default: result = .unknown("cut")
            }
            try await outbox.end(attempt, result, at: now, jitter: UInt16.random(in: 0 ... .max, using: &numbers))
        }
    }
}

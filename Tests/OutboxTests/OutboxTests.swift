import Bytes
import Foundation
import SealedStore
import Testing

@testable import Outbox

let sealingKey = SecretBytes([UInt8](repeating: 7, count: 32))

/// Runs `body` on each kind of store, on an empty one.
func withStores(_ body: (any OutboxStore) async throws -> Void) async throws {
    try await body(MemoryOutbox())
    try await withFolder { try await body(SQLiteOutbox(folder: $0, key: sealingKey)) }
}

func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = NSTemporaryDirectory() + "outbox-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
}

@Suite("The outbox, on every store") struct OutboxTests {
    private let policy = RetryPolicy(firstDelay: 10, longestDelay: 60, maximumAttempts: 4)

    private func withOutboxes(_ body: (Outbox, any OutboxStore) async throws -> Void) async throws {
        try await withStores { store in
            try await body(Outbox(store, policy: policy, at: 1000, jitter: 0), store)
        }
    }

    @Test("What is put twice is kept once; another one under its key is refused") func put() async throws {
        try await withOutboxes { outbox, _ in
            let key = try DeliveryKey("receipt 1")
            let first = try await outbox.put(key, kind: "mail", payload: [1, 2], at: 1000)
            #expect(try await outbox.put(key, kind: "mail", payload: [1, 2], at: 2000) == first)
            await #expect(throws: OutboxError.keyTaken) {
                try await outbox.put(key, kind: "mail", payload: [3], at: 1000)
            }
            await #expect(throws: OutboxError.keyTaken) {
                try await outbox.put(key, kind: "callback", payload: [1, 2], at: 1000)
            }
            #expect(try await outbox.due(at: 999) == [])
            #expect(try await outbox.due(at: 1000) == [key])
            #expect(first.certainty == .notYet)
            #expect(try await outbox.due("mail", at: 1000) == [key])
            #expect(try await outbox.due("callback", at: 1000) == [])
        }
    }

    @Test("An attempt is made by one worker, and ends once") func attempt() async throws {
        try await withOutboxes { outbox, _ in
            let key = try DeliveryKey("receipt 1")
            try await outbox.put(key, kind: "mail", payload: [1], at: 1000)
            let attempt = try await outbox.begin(key, at: 1001)
            #expect(attempt.number == 1)
            #expect(attempt.delivery.certainty == .perhapsAlready)
            await #expect(throws: OutboxError.notDue) { try await outbox.begin(key, at: 1001) }
            #expect(try await outbox.due(at: 5000) == [])
            let delivered = try await outbox.end(attempt, .delivered, at: 1002, jitter: 0)
            #expect(delivered.certainty == .once)
            await #expect(throws: OutboxError.notAttempted) {
                try await outbox.end(attempt, .failed("late"), at: 1003, jitter: 0)
            }
            // Put again, it is delivered already.
            #expect(try await outbox.put(key, kind: "mail", payload: [1], at: 2000).certainty == .once)
            await #expect(throws: OutboxError.notFound) { try await outbox.begin(DeliveryKey("other"), at: 1) }
        }
    }

    // 10, 20, 40 seconds: half of each without jitter.
    @Test("Failures wait for times that double, and the last is given up") func backOff() async throws {
        try await withOutboxes { outbox, _ in
            let key = try DeliveryKey("receipt 1")
            try await outbox.put(key, kind: "mail", payload: [1], at: 1000)
            var now: Int64 = 1000
            for wait: Int64 in [5, 10, 20] {
                let attempt = try await outbox.begin(key, at: now)
                let failed = try await outbox.end(attempt, .failed("busy\r\n"), at: now, jitter: 0)
                #expect(failed.state.time == now + wait)
                #expect(failed.state.fault == "busy  ")
                await #expect(throws: OutboxError.notDue) { try await outbox.begin(key, at: now + wait - 1) }
                now += wait
            }
            let last = try await outbox.end(outbox.begin(key, at: now), .failed("busy"), at: now, jitter: 0)
            #expect(last.state.phase == .givenUp)
            #expect(last.certainty == .never)
            #expect(try await outbox.keys(.givenUp) == [key])
        }
    }

    @Test("A refusal is given up at once; an attempt without an answer stays in doubt") func certainty() async throws {
        try await withOutboxes { outbox, _ in
            let keys = try ["a", "b", "c"].map { try DeliveryKey($0) }
            for key in keys { try await outbox.put(key, kind: "mail", payload: [1], at: 1000) }
            let refused = try await outbox.end(outbox.begin(keys[0], at: 1000), .refused("no"), at: 1000, jitter: 0)
            #expect(refused.certainty == .never)
            for key in keys.dropFirst() {
                let lost = try await outbox.end(outbox.begin(key, at: 1000), .unknown("cut"), at: 1000, jitter: 0)
                #expect(lost.certainty == .perhapsAlready)
            }
            let twice = try await outbox.end(outbox.begin(keys[1], at: 2000), .delivered, at: 2000, jitter: 0)
            #expect(twice.certainty == .perhapsTwice)
            let once = try await outbox.end(outbox.begin(keys[2], at: 2000), .refused("no"), at: 2000, jitter: 0)
            #expect(once.certainty == .perhapsOnce)
        }
    }

    @Test("What has ended is forgotten, and nothing else") func forgetting() async throws {
        try await withOutboxes { outbox, _ in
            let (ended, waiting) = (try DeliveryKey("ended"), try DeliveryKey("waiting"))
            for key in [ended, waiting] { try await outbox.put(key, kind: "mail", payload: [1], at: 1000) }
            try await outbox.end(outbox.begin(ended, at: 1000), .delivered, at: 1000, jitter: 0)
            try await outbox.forget(endedBefore: 1000)
            #expect(try await outbox.delivery(ended) != nil)
            try await outbox.forget(endedBefore: 1001)
            #expect(try await outbox.delivery(ended) == nil)
            #expect(try await outbox.delivery(waiting) != nil)
        }
    }

    @Test("A full store, a large payload and a faulty key are refused") func limits() async throws {
        try await withOutboxes { outbox, store in
            await #expect(throws: OutboxError.payloadTooLarge) {
                try await outbox.put(
                    DeliveryKey("a"), kind: "mail", payload: [UInt8](repeating: 0, count: Outbox.maximumPayload + 1),
                    at: 0)
            }
            try await outbox.put(DeliveryKey("a"), kind: "mail", payload: [1], at: 0)
            let other = Delivery(
                try DeliveryKey("b"), kind: "mail", payload: [1], state: .init(phase: .waiting, time: 0))
            await #expect(throws: OutboxError.full) { try await store.insert(other, maximumOpen: 1) }
        }
        for text in ["", "a\nb", String(repeating: "x", count: 101), "4111111111111111"] {
            #expect(throws: OutboxError.invalidKey) { try DeliveryKey(text) }
        }
    }

    @Test("Delays are bounded, whatever the policy and the number of attempts") func delays() {
        let policy = RetryPolicy(firstDelay: 3, longestDelay: 100, maximumAttempts: 9)
        #expect((1...7).map { policy.delay(after: $0, jitter: 0) } == [2, 3, 6, 12, 24, 48, 50])
        #expect(policy.delay(after: .max, jitter: .max) == 99)
        #expect(RetryPolicy(firstDelay: -1, longestDelay: .max, maximumAttempts: 0).maximumAttempts == 1)
        #expect(RetryPolicy(firstDelay: .max, longestDelay: .max).delay(after: .max, jitter: .max) <= 30 * 86_400)
    }

    @Test("A stored state that was changed, or moved to another row, is refused") func tampering() async throws {
        try await withFolder { folder in
            let store = try SQLiteOutbox(folder: folder, key: sealingKey)
            let outbox = try await Outbox(store, at: 0, jitter: 0)
            let key = try DeliveryKey("receipt 1")
            try await outbox.put(key, kind: "mail", payload: Array("Aoife Byrne".utf8), at: 0)
            try await outbox.end(outbox.begin(key, at: 0), .delivered, at: 0, jitter: 0)
            try store.close()
            let path = "\(folder)/outbox.sqlite"
            #expect(try Data(contentsOf: URL(filePath: path)).range(of: Data("Aoife".utf8)) == nil)
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [
                "python3", "-c",
                "import sqlite3,sys; d=sqlite3.connect(sys.argv[1]); "
                    + "d.execute(\"UPDATE delivery SET phase='waiting'\"); d.commit()", path,
            ]
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
            let again = try SQLiteOutbox(folder: folder, key: sealingKey)
            await #expect(throws: StoreError.damaged) { try await again.delivery(key) }
        }
    }
}

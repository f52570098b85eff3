public import Bytes
import FoundationEssentials
import GRDB
public import SealedStore

/// Deliveries in an SQLite file; payloads and states are sealed with AES-256-GCM, each for its key.
///
/// Keys, phases and times are in clear. Each write is on the disk when its call returns. Only one
/// process at a time can open it.
public final class SQLiteOutbox: OutboxStore {
    private let store: SealedStore

    /// Opens the outbox in `folder`, which is created if it does not exist.
    ///
    /// - Parameter key: 32 random bytes, kept separate from the folder.
    public convenience init(folder: String, key: SecretBytes) throws(StoreError) {
        try self.init(folder: folder, key: key, files: SystemFiles())
    }

    package init(folder: String, key: SecretBytes, files: some StoreFiles) throws(StoreError) {
        store = try SealedStore("outbox", folder: folder, key: key, migrator: Self.migrator, files: files, cache: 64)
    }

    /// Closes the file at once. Later calls fail.
    public func close() throws(StoreError) { try store.close() }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE outbox (key_check BLOB NOT NULL);
                    -- payload and state are sealed for this name and column alone; phase and time find what is due.
                    CREATE TABLE delivery (
                        number INTEGER PRIMARY KEY,
                        name TEXT NOT NULL UNIQUE,
                        kind TEXT NOT NULL,
                        phase TEXT NOT NULL,
                        time INTEGER NOT NULL,
                        payload BLOB NOT NULL,
                        state BLOB NOT NULL
                    ) STRICT;
                    CREATE INDEX delivery_time ON delivery (phase, time, number);
                    """)
        }
        return migrator
    }

    public func insert(_ delivery: Delivery, maximumOpen: Int) async throws -> Delivery {
        try await store.write { database, keys in
            if let kept = try Self.fetch(database, keys, delivery.key) { return kept }
            let open = try Int.fetchOne(
                database, sql: "SELECT count(*) FROM delivery WHERE phase IN ('waiting', 'attempting')")
            guard open ?? 0 < maximumOpen else { throw OutboxError.full }
            let payload = keys.seal(SecretBytes(delivery.payload), for: Self.payloadPlace(delivery.key, delivery.kind))
            try database.execute(
                sql: "INSERT INTO delivery (name, kind, phase, time, payload, state) VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [
                    delivery.key.text, delivery.kind, delivery.state.phase.rawValue, delivery.state.time, Data(payload),
                    try Self.sealed(delivery, keys),
                ])
            return delivery
        }
    }

    public func change(
        _ key: DeliveryKey, _ change: @escaping @Sendable (inout Delivery) throws -> Void
    ) async throws -> Delivery {
        try await store.write { database, keys in
            guard var delivery = try Self.fetch(database, keys, key) else { throw OutboxError.notFound }
            try change(&delivery)
            try database.execute(
                sql: "UPDATE delivery SET phase = ?, time = ?, state = ? WHERE name = ?",
                arguments: [
                    delivery.state.phase.rawValue, delivery.state.time, try Self.sealed(delivery, keys), key.text,
                ])
            return delivery
        }
    }

    public func delivery(_ key: DeliveryKey) async throws -> Delivery? {
        try await store.read { try Self.fetch($0, $1, key) }
    }

    public func keys(
        _ phase: Delivery.State.Phase, kind: String?, until time: Int64, limit: Int
    ) async throws -> [DeliveryKey] {
        try await store.read { database, _ in
            try String.fetchAll(
                database,
                sql: """
                    SELECT name FROM delivery WHERE phase = ? AND time <= ? AND kind = coalesce(?, kind)
                    ORDER BY time, number LIMIT ?
                    """,
                arguments: [phase.rawValue, time, kind, max(0, limit)]
            ).map { try DeliveryKey($0) }
        }
    }

    public func forget(endedBefore time: Int64) async throws {
        try await store.write { database, _ in
            try database.execute(
                sql: "DELETE FROM delivery WHERE phase IN ('delivered', 'givenUp') AND time < ?", arguments: [time])
        }
    }

    // MARK: Rows

    private static func fetch(_ database: Database, _ keys: SealingKeys, _ key: DeliveryKey) throws -> Delivery? {
        guard
            let row = try Row.fetchOne(
                database, sql: "SELECT kind, phase, time, payload, state FROM delivery WHERE name = ?",
                arguments: [key.text])
        else { return nil }
        let kind: String = row["kind"]
        let (payload, sealed): (Data, Data) = (row["payload"], row["state"])
        let state = try keys.open(Array(sealed), for: "state \(key)").revealed()
        let delivery = Delivery(
            key, kind: kind, payload: try keys.open(Array(payload), for: payloadPlace(key, kind)).revealed(),
            state: try JSONDecoder().decode(Delivery.State.self, from: Data(state)))
        // What finds it is in clear, and must be what the seal covers.
        guard delivery.state.phase.rawValue == row["phase"], delivery.state.time == row["time"] else {
            throw StoreError.damaged
        }
        return delivery
    }

    private static func sealed(_ delivery: Delivery, _ keys: SealingKeys) throws -> Data {
        let state = Array(try JSONEncoder().encode(delivery.state))
        return Data(keys.seal(SecretBytes(state), for: "state \(delivery.key)"))
    }

    private static func payloadPlace(_ key: DeliveryKey, _ kind: String) -> String { "payload \(kind) \(key)" }
}

public import Bytes
private import CardCryptography
import FoundationEssentials
import GRDB
public import PaymentTerminal
import SealedStore

/// A terminal's journal in an SQLite file, sealed with AES-256-GCM under a key of the integrator's.
///
/// In clear are order ids, idempotency keys, how far each order has come and when it began. A change is on the disk when its call returns
/// (`PRAGMA synchronous = FULL`). One process at a time has the journal.
public final class SQLiteJournal: TransactionJournal {
    private let store: SealedStore
    private let digestKey: SecretBytes

    /// Opens the journal in `folder`, which is made, with an empty journal, if it is not there.
    ///
    /// - Parameters:
    ///   - key: Where the journal's key comes from.
    ///   - nextSequenceCounter: Of a new journal's first transaction, tag `9F41`.
    public static func open(
        folder: String, key: some JournalKeySource, nextSequenceCounter: UInt32 = 1
    ) async throws(JournalError) -> SQLiteJournal {
        do {
            let store = try SealedStore("journal", folder: folder, key: try await key.key(), migrator: JournalSchema.migrator)
            let digestKey = try await store.write { database, keys in
                if let sealed = try Data.fetchOne(database, sql: "SELECT digest_key FROM journal WHERE digest_key IS NOT NULL") {
                    return try keys.open(Array(sealed), for: Self.digestKeyPlace)
                }
                let made = SecretBytes(SecureRandom.bytes(32))
                try database.execute(
                    sql: "UPDATE journal SET digest_key = ?, sequence_counter = ?",
                    arguments: [Data(keys.seal(made, for: Self.digestKeyPlace)), nextSequenceCounter])
                return made
            }
            return SQLiteJournal(store: store, digestKey: digestKey)
        } catch {
            throw JournalError(error)
        }
    }

    private init(store: SealedStore, digestKey: SecretBytes) {
        self.store = store
        self.digestKey = digestKey
    }

    private static let digestKeyPlace = "digest key"

    public func insert(_ entry: JournalEntry) async throws(JournalError) {
        try await write { database, keys in
            do {
                try database.execute(
                    sql: "INSERT INTO entry (content, stage, idempotency_key, seconds_since_1970, order_id) VALUES (?, ?, ?, ?, ?)",
                    arguments: [
                        try Self.sealed(entry, keys), entry.stage.rawValue, entry.key?.text, entry.timestamp.secondsSince1970,
                        entry.orderID.text,
                    ])
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                throw JournalError.orderExists
            }
        }
    }

    public func update(_ entry: JournalEntry) async throws(JournalError) {
        try await write { database, keys in
            try database.execute(
                sql: "UPDATE entry SET content = ?, stage = ? WHERE order_id = ?",
                arguments: [try Self.sealed(entry, keys), entry.stage.rawValue, entry.orderID.text])
        }
    }

    public func entry(for orderID: OrderID) async throws(JournalError) -> JournalEntry? {
        try await entries("WHERE order_id = ?", [orderID.text]).first
    }

    public func entry(for key: IdempotencyKey) async throws(JournalError) -> JournalEntry? {
        try await entries("WHERE idempotency_key = ?", [key.text]).first
    }

    public func openEntries() async throws(JournalError) -> [JournalEntry] {
        try await entries("WHERE stage <> 'finished' ORDER BY rowid", [])
    }

    public func latest(_ limit: Int) async throws(JournalError) -> [JournalEntry] {
        try await entries("ORDER BY rowid DESC LIMIT ?", [limit])
    }

    public func purge(before seconds: Int64) async throws(JournalError) -> Int {
        try await write { database, _ in
            try database.execute(
                sql: "DELETE FROM entry WHERE stage = 'finished' AND seconds_since_1970 < ?", arguments: [seconds])
            return database.changesCount
        }
    }

    public func takeSequenceCounter() async throws(JournalError) -> UInt32 {
        try await write { database, _ in
            let counter = try UInt32.fetchOne(database, sql: "SELECT sequence_counter FROM journal") ?? 1
            try database.execute(
                sql: "UPDATE journal SET sequence_counter = ?", arguments: [counter >= 99_999_999 ? 1 : counter + 1])
            return counter
        }
    }

    public func digest(of request: SecretBytes) -> [UInt8] {
        var bytes = request.revealed()
        defer { wipe(&bytes) }
        return HMACSHA256.authenticate(bytes, key: digestKey)
    }

    /// Seals everything with a new key, in one transaction: from then on only this one opens the journal.
    public func rotate(to key: some JournalKeySource) async throws(JournalError) {
        do {
            try await store.rotate(to: try await key.key()) { [digestKey] database, old, new in
                for row in try Row.fetchAll(database, sql: "SELECT order_id, content FROM entry") {
                    let orderID: String = row["order_id"]
                    let content = try old.open(Array(row["content"] as Data), for: orderID)
                    try database.execute(
                        sql: "UPDATE entry SET content = ? WHERE order_id = ?", arguments: [Data(new.seal(content, for: orderID)), orderID])
                }
                try database.execute(
                    sql: "UPDATE journal SET digest_key = ?", arguments: [Data(new.seal(digestKey, for: Self.digestKeyPlace))])
            }
        } catch {
            throw JournalError(error)
        }
    }

    /// Lets go of the file at once, instead of with the last reference: for a process that opens it again. Every call after it fails.
    public func close() throws(JournalError) {
        do throws(StoreError) {
            try store.close()
        } catch {
            throw JournalError(error)
        }
    }

    private func entries(_ condition: String, _ arguments: StatementArguments) async throws(JournalError) -> [JournalEntry] {
        try await write { database, keys in
            try Row.fetchAll(database, sql: "SELECT order_id, content FROM entry \(condition)", arguments: arguments).map { row in
                var content = try keys.open(Array(row["content"] as Data), for: row["order_id"]).revealed()
                defer { wipe(&content) }
                return try JSONDecoder().decode(JournalEntry.self, from: Data(content))
            }
        }
    }

    private static func sealed(_ entry: JournalEntry, _ keys: SealingKeys) throws -> Data {
        var content = Array(try JSONEncoder().encode(entry))
        return Data(keys.seal(SecretBytes(wiping: &content), for: entry.orderID.text))
    }

    private func write<Result: Sendable>(
        _ body: @escaping @Sendable (Database, SealingKeys) throws -> Result
    ) async throws(JournalError) -> Result {
        do {
            return try await store.write(body)
        } catch {
            throw JournalError(error)
        }
    }
}

extension JournalError {
    fileprivate init(_ error: any Error) {
        switch error {
        case let error as JournalError: self = error
        case let error as StoreError where error.isFull: self.init(.full, error.description)
        case StoreError.damaged, is DecodingError: self.init(.damaged, StoreError.damaged.description)
        case let error as StoreError: self.init(.failed, error.description)
        case is CancellationError: self.init(.failed, "the operation was cancelled; nothing of it was stored")
        default: self.init(.failed, "the journal's key cannot be had: \(error)")
        }
    }
}

public import Bytes
import FoundationEssentials
public import GRDB
private import Synchronization

/// An SQLite file in a folder, with keys to seal what must not lie there in clear.
///
/// One process at a time has it. Every write is one transaction: it is there whole, or not at all, and lasting when the call returns.
public final class SealedStore: Sendable {
    /// As errors name it: its kind and its folder.
    private let name: String
    private let kind: String
    private let keys: Mutex<SealingKeys>
    private let queue: DatabaseQueue
    private let commits: GroupCommit
    /// Held as long as the store is open. Properties go in their order, so the database is closed first.
    private let lock: FolderLock

    /// Opens the store in `folder`, which is made, with an empty store, if it is not there.
    ///
    /// - Parameters:
    ///   - kind: `vault`, `journal`: the name of the file and of the table, with a column `key_check`, by which the key is known.
    ///   - key: 32 random bytes, kept apart from the folder; no other key opens the store again.
    public init(_ kind: String, folder: String, key: SecretBytes, migrator: DatabaseMigrator) throws(StoreError) {
        self.kind = kind
        let name = "\(kind) \(folder)"
        self.name = name
        let keys = try SealingKeys(kind, key)
        self.keys = Mutex(keys)
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unwritable(store: name, reason: "the folder cannot be made")
        }
        lock = try FolderLock(path: "\(folder)/\(kind).lock", store: name)
        var configuration = Configuration()
        // Of a process that ends the system may drop the store's lock before it drops those of the database.
        configuration.busyMode = .timeout(2)
        configuration.prepareDatabase { database in
            // Not by the configuration's journal mode, which would have commits wait for the disk no more (synchronous = NORMAL) after this.
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
        }
        do {
            queue = try DatabaseQueue(path: "\(folder)/\(kind).sqlite", configuration: configuration)
            commits = GroupCommit(queue)
            try migrator.migrate(queue)
            try queue.write { database in
                if let checkValue = try Data.fetchOne(database, sql: "SELECT key_check FROM \(kind)") {
                    guard Array(checkValue) == keys.checkValue else { throw StoreError.otherKey(store: name) }
                } else {
                    try database.execute(sql: "INSERT INTO \(kind) (key_check) VALUES (?)", arguments: [Data(keys.checkValue)])
                }
            }
        } catch {
            throw StoreError(error, store: name)
        }
    }

    /// Runs `body` whole or not at all: what it did is undone if it throws; an error of the database comes as ``StoreError``.
    ///
    /// Writes that wait for each other share a commit. Where the database fails them together, each is tried again alone, so `body` may run twice.
    /// A task that is cancelled before it asks writes nothing; what waits already is carried out.
    public func write<Result: Sendable>(_ body: @escaping @Sendable (Database, SealingKeys) throws -> Result) async throws -> Result {
        do {
            return try await commits.write { [self] in try body($0, keys.withLock { $0 }) }
        } catch let error as DatabaseError {
            throw StoreError(error, store: name)
        }
    }

    /// Lets go of the file at once, instead of with the last reference. Every call after it fails.
    public func close() throws(StoreError) {
        do {
            try queue.close()
        } catch {
            throw StoreError(error, store: name)
        }
        lock.release()
    }

    /// Takes a new key in place of the old one, in one transaction.
    ///
    /// - Parameters:
    ///   - key: 32 random bytes.
    ///   - reseal: Opens everything that is sealed with the first keys and seals it with the second.
    public func rotate(
        to key: SecretBytes, _ reseal: @escaping @Sendable (Database, SealingKeys, SealingKeys) throws -> Void
    ) async throws {
        let next = try SealingKeys(kind, key)
        do {
            try await queue.write { [self] database in
                try reseal(database, keys.withLock { $0 }, next)
                try database.execute(sql: "UPDATE \(kind) SET key_check = ?", arguments: [Data(next.checkValue)])
            }
            // The log still has what was sealed with the old key.
            try await queue.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        } catch let error as DatabaseError {
            throw StoreError(error, store: name)
        }
        keys.withLock { $0 = next }
    }
}

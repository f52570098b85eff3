public import Bytes
private import Dispatch
import FoundationEssentials
public import GRDB
private import Synchronization

/// An SQLite file in a folder, with keys to seal what must not lie there in clear.
///
/// One process at a time has it. Every write is one transaction: it is there whole, or not at all.
public final class SealedStore: Sendable {
    /// When a write is on the disk.
    public enum Durability: Sendable {
        /// When its call returns.
        case flushed
        /// With the next flushed write, or when SQLite clears its log. A power cut may take it back,
        /// and then every later one too: the order of writes stays.
        case eventual
    }

    /// As errors name it: its kind and its folder.
    private let name: String
    private let kind: String
    private let path: String
    private let keys: Mutex<SealingKeys>
    private let queue: DatabaseQueue
    private let commits: GroupCommit
    private let reader = Mutex<DatabaseQueue?>(nil)
    private let lock: any StoreLock

    /// Every store of the process works on these threads, of which there are about as many as
    /// processors, so that many stores need few threads.
    private static let threads = DispatchQueue.global(qos: .userInitiated)

    /// Opens the store in `folder`. A folder that does not exist is made, with an empty store.
    ///
    /// - Parameters:
    ///   - kind: `vault`, `journal`: the name of the file and of the table, with a column `key_check`, by which the key is known.
    ///   - key: 32 random bytes, kept apart from the folder; no other key opens the store again.
    public convenience init(
        _ kind: String, folder: String, key: SecretBytes, migrator: DatabaseMigrator
    ) throws(StoreError) {
        try self.init(kind, folder: folder, key: key, migrator: migrator, files: SystemFiles(), cache: 512)
    }

    /// - Parameters:
    ///   - files: Where the folder and its lock are.
    ///   - cache: How much of the file is kept for writing, in kibibytes.
    package init(
        _ kind: String, folder: String, key: SecretBytes, migrator: DatabaseMigrator, files: some StoreFiles, cache: Int
    ) throws(StoreError) {
        self.kind = kind
        let name = "\(kind) \(folder)"
        self.name = name
        path = "\(folder)/\(kind).sqlite"
        let keys = try SealingKeys(kind, key)
        self.keys = Mutex(keys)
        try files.makeFolder(folder, store: name)
        lock = try files.lock("\(folder)/\(kind).lock", store: name)
        try files.makeDatabase(path, store: name)
        do {
            queue = try DatabaseQueue(path: path, configuration: Self.configuration(cache: cache))
            commits = GroupCommit(queue)
            guard try !queue.read({ try migrator.hasBeenSuperseded($0) }) else { throw StoreError.newer(store: name) }
            try migrator.migrate(queue)
            try queue.write { database in
                if let checkValue = try Data.fetchOne(database, sql: "SELECT key_check FROM \(kind)") {
                    guard Array(checkValue) == keys.checkValue else { throw StoreError.otherKey(store: name) }
                } else {
                    try database.execute(sql: "INSERT INTO \(kind) (key_check) VALUES (?)", arguments: [Data(keys.checkValue)])
                }
            }
            // Migrations leave a cache for temporary tables behind.
            try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA shrink_memory") }
            // The log may hold frames whose flush failed in another process: the system has them in memory and counts them as written.
            // Copied into the database they are flushed again; a program that reads the file may prevent it.
            try queue.writeWithoutTransaction { database in
                do {
                    _ = try database.checkpoint(.truncate)
                } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {}
            }
            // A log that the power brings back would be read over the database. The next flush of a log ends the one before.
            try queue.write { try $0.execute(sql: "PRAGMA user_version = 1") }
        } catch {
            lock.release()
            throw StoreError(error, store: name)
        }
    }

    private static let busyMilliseconds = 2000

    /// In kibibytes: a look-up needs few pages, and the system keeps the file.
    private static let readerCache = 32

    private static func configuration(cache: Int, isReadOnly: Bool = false) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = isReadOnly
        configuration.targetQueue = threads
        // Of a process that ends the system may drop the store's lock before it drops those of the database.
        configuration.busyMode = .timeout(Double(busyMilliseconds) / 1000)
        configuration.prepareDatabase { database in
            // A negative size is in kibibytes. The cache that SQLite has made for reading the schema is larger.
            try database.execute(sql: "PRAGMA cache_size = -\(cache); PRAGMA shrink_memory")
            guard !isReadOnly else { return }
            // Not by the configuration's journal mode, which sets synchronous = NORMAL after this.
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
            // Where the file system has no shared memory SQLite stays out of WAL and says so in its answer only.
            guard try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal" else {
                throw DatabaseError(resultCode: .SQLITE_CANTOPEN)
            }
        }
        return configuration
    }

    /// Runs `body` whole or not at all: what it did is undone if it throws; an error of the database comes as ``StoreError``.
    ///
    /// Writes that wait for each other share a commit. Where the database fails them together, each is tried again alone, so `body` may run twice.
    /// Cancelling the task does not stop the write.
    public func write<Result: Sendable>(
        _ durability: Durability = .flushed, _ body: @escaping @Sendable (Database, SealingKeys) throws -> Result
    ) async throws -> Result {
        do {
            // The keys change inside a write (``rotate(to:_:)``), so each write finds those of its rows.
            return try await commits.write(durability) { [self] in try body($0, keys.withLock { $0 }) }
        } catch let error as DatabaseError {
            throw StoreError(error, store: name)
        }
    }

    /// Runs `body` on a connection of its own, which sees what is committed. However long it takes, writes go on.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (Database, SealingKeys) throws -> Result
    ) async throws -> Result {
        do {
            let reader = try openReader()
            while true {
                let result = try await reader.read { [self] database -> Result? in
                    let keys = keys.withLock { $0 }
                    // Between a commit with new keys and their taking effect.
                    guard try checkValue(database) == keys.checkValue else { return nil }
                    return try body(database, keys)
                }
                if let result { return result }
            }
        } catch let error as DatabaseError {
            throw StoreError(error, store: name)
        }
    }

    private func checkValue(_ database: Database) throws -> [UInt8]? {
        try Data.fetchOne(database, sql: "SELECT key_check FROM \(kind)").map { Array($0) }
    }

    private func openReader() throws -> DatabaseQueue {
        try reader.withLock { reader in
            if let reader { return reader }
            let opened = try DatabaseQueue(path: path, configuration: Self.configuration(cache: Self.readerCache, isReadOnly: true))
            reader = opened
            return opened
        }
    }

    /// Closes the file at once, instead of with the last reference. Every call after it fails.
    public func close() throws(StoreError) {
        do {
            try reader.withLock { try $0?.close() }
            try queue.close()
        } catch {
            throw StoreError(error, store: name)
        }
        lock.release()
    }

    /// Replaces the key, in one transaction. Writes that wait run after it, with the new key.
    ///
    /// - Parameters:
    ///   - key: 32 random bytes.
    ///   - reseal: Opens everything that is sealed with the first keys and seals it with the second.
    /// - Returns: Whether the database's log could be cleared. While another program reads the file it cannot, and then holds rows under the
    ///   old key until the log is cleared by a later write.
    public func rotate(
        to key: SecretBytes, _ reseal: @escaping @Sendable (Database, SealingKeys, SealingKeys) throws -> Void
    ) async throws -> Bool {
        let next = try SealingKeys(kind, key)
        do {
            try await queue.writeWithoutTransaction { [self] database in
                do {
                    try database.inTransaction {
                        try reseal(database, keys.withLock { $0 }, next)
                        try database.execute(sql: "UPDATE \(kind) SET key_check = ?", arguments: [Data(next.checkValue)])
                        return .commit
                    }
                } catch {
                    commits.distrustLog()
                    // A commit that failed may have become lasting all the same.
                    if try self.checkValue(database) == next.checkValue { keys.withLock { $0 = next } }
                    throw error
                }
                keys.withLock { $0 = next }
            }
        } catch let error as DatabaseError {
            throw StoreError(error, store: name)
        }
        return await clearsLog()
    }

    /// Clears the database's log as soon as no other program reads the file, for two seconds. Writes go on between the tries.
    private func clearsLog() async -> Bool {
        for _ in 0..<20 {
            let isClear = try? await queue.writeWithoutTransaction { database in
                // SQLite would wait for a reader with the database in its hand.
                try database.execute(sql: "PRAGMA busy_timeout = 0")
                defer { try? database.execute(sql: "PRAGMA busy_timeout = \(Self.busyMilliseconds)") }
                return (try? database.checkpoint(.truncate)) != nil
            }
            if isClear == true { return true }
            try? await Task.sleep(for: .milliseconds(100))
        }
        return false
    }
}

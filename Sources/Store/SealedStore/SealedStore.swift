public import Bytes
private import CSQLite
private import Dispatch
import FoundationEssentials
public import GRDB
private import Synchronization

/// An SQLite file in a folder, with keys to seal data that must not be stored in clear.
///
/// Only one writer at a time can open it, of this process or another. Every write is one
/// transaction: it is stored completely or not at all.
public final class SealedStore: Sendable {
    /// When a write is on the disk.
    public enum Durability: Sendable {
        /// When its call returns.
        case flushed
        /// With the next flushed write, or when SQLite clears its log. After a power cut it may be
        /// lost, but then all later writes are lost, too: the order of writes is kept.
        case eventual
    }

    /// The name in errors: kind and folder.
    private let name: String
    private let kind: String
    private let path: String
    private let keys: Mutex<SealingKeys>
    private let queue: DatabaseQueue
    private let commits: GroupCommit
    private let queries: QueryConnection
    private let lock: any StoreLock

    /// All stores of the process share these threads, about as many as processors, so that many
    /// stores need few threads.
    private static let threads = DispatchQueue.global(qos: .userInitiated)

    /// Opens the store in `folder`. If the folder does not exist, it is created with an empty
    /// store.
    ///
    /// - Parameters:
    ///   - kind: `vault`, `journal`: the name of the file and of the table. The table has a column
    ///     `key_check` that identifies the key.
    ///   - key: 32 random bytes, kept separate from the folder; only this key opens the store
    ///     again.
    public convenience init(
        _ kind: String, folder: String, key: SecretBytes, migrator: DatabaseMigrator
    ) throws(StoreError) {
        try self.init(kind, folder: folder, key: key, migrator: migrator, files: SystemFiles())
    }

    /// - Parameters:
    ///   - files: The file system of the folder and its lock.
    ///   - cache: The page cache of the writer, in kibibytes.
    package init(
        _ kind: String, folder: String, key: SecretBytes, migrator: DatabaseMigrator, files: some StoreFiles,
        cache: Int = 512
    ) throws(StoreError) {
        self.kind = kind
        let name = "\(kind) \(folder)"
        self.name = name
        path = "\(folder)/\(kind).sqlite"
        let keys = try SealingKeys(kind, key)
        self.keys = Mutex(keys)
        try files.makeFolder(folder, store: name)
        try files.makeDatabase(path, store: name)
        let lock = try files.lock(path, store: name)
        self.lock = lock
        files.readFromDisk(path)
        do {
            let configuration = Self.configuration(cache: cache)
            let opened = try DatabaseQueue(path: path, configuration: configuration)
            guard try !opened.read({ try migrator.hasBeenSuperseded($0) }) else { throw StoreError.newer(store: name) }
            if try opened.read({ try migrator.hasCompletedMigrations($0) }) {
                queue = opened
            } else {
                // A changed table leaves SQLite's database for temporary tables open, whose cache
                // of 85 KiB stays with the connection.
                try migrator.migrate(opened)
                try opened.close()
                queue = try DatabaseQueue(path: path, configuration: configuration)
            }
            queries = QueryConnection(lock) { [path] in
                try DatabaseQueue(
                    path: path, configuration: Self.configuration(cache: Self.readerCache, isReadOnly: true))
            }
            try queue.write { database in
                if let checkValue = try Data.fetchOne(database, sql: "SELECT key_check FROM \(kind)") {
                    guard Array(checkValue) == keys.checkValue else { throw StoreError.otherKey(store: name) }
                } else {
                    try database.execute(
                        sql: "INSERT INTO \(kind) (key_check) VALUES (?)", arguments: [Data(keys.checkValue)])
                }
            }
            // While another program has the file open, the log may still have frames that are not
            // on the disk. Copying them into the database flushes them, unless that program reads.
            try queue.writeWithoutTransaction { database in
                do {
                    _ = try database.checkpoint(.truncate)
                } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {}
            }
            // After a power cut, an old log could reappear and override the database. Flushing a
            // new log invalidates the previous one.
            try queue.write { try $0.execute(sql: "PRAGMA user_version = 1") }
            commits = GroupCommit(queue, lock, flushed: try queue.read { $0.endOfLog })
        } catch {
            lock.release()
            throw StoreError(error, store: name)
        }
    }

    /// In kibibytes: a look-up needs few pages, and the system caches the file.
    private static let readerCache = 32

    private static func configuration(cache: Int, isReadOnly: Bool = false) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = isReadOnly
        configuration.targetQueue = threads
        // When a process ends, the system may release the store's lock before the database's locks.
        configuration.busyMode = .timeout(Double(Database.busyTimeout) / 1000)
        configuration.prepareDatabase { database in
            // A negative size is in kibibytes. The cache that SQLite created for reading the schema
            // is larger.
            try database.execute(sql: "PRAGMA cache_size = -\(cache); PRAGMA shrink_memory")
            // 12 KiB instead of 48: it is allocated whole for each connection, and a process may
            // have many stores. What does not fit comes from the heap. A connection that already
            // uses it keeps what it has.
            _ = unsafe cardpresent_sqlite_lookaside(database.sqliteConnection, 512, 24)
            guard !isReadOnly else { return }
            // Not through the configuration's journal mode, which sets synchronous = NORMAL
            // afterwards.
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
            // If the file system has no shared memory, SQLite does not use WAL, and reports that
            // only in its answer.
            guard try String.fetchOne(database, sql: "PRAGMA journal_mode") == "wal" else {
                throw DatabaseError(resultCode: .SQLITE_CANTOPEN)
            }
        }
        return configuration
    }

    /// Runs `body` in a transaction, which is rolled back if it throws; an error of the database is
    /// thrown as ``StoreError``.
    ///
    /// Waiting writes share a commit. If the database fails, each write is tried again separately,
    /// so `body` may run twice. Cancelling the task does not stop the write.
    public func write<Result: Sendable>(
        _ durability: Durability = .flushed, _ body: @escaping @Sendable (Database, SealingKeys) throws -> Result
    ) async throws -> Result {
        do {
            // The keys change inside a write (``rotate(to:_:)``), so each write uses the current
            // keys.
            return try await commits.write(durability) { [self] in try body($0, keys.withLock { $0 }) }
        } catch let error as DatabaseError {
            throw StoreError(error, store: name)
        }
    }

    /// Runs `body` on a separate connection, which sees committed data. It does not block writes.
    /// The connection is opened for it, which takes longer than a short query. Cancelling the task
    /// does not stop it: the caller would take that for a failure of the store.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (Database, SealingKeys) throws -> Result
    ) async throws -> Result {
        do {
            while true {
                let result = try await queries.read { [self] database -> Result? in
                    let keys = keys.withLock { $0 }
                    // Between a commit with new keys and their use.
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

    /// Closes the file at once, not only when the last reference is released. Later calls fail.
    public func close() throws(StoreError) {
        do {
            try queries.close()
            try queue.close()
        } catch {
            throw StoreError(error, store: name)
        }
        lock.release()
    }

    /// Replaces the key, in one transaction. Waiting writes run after it, with the new key.
    ///
    /// - Parameters:
    ///   - key: 32 random bytes.
    ///   - reseal: Opens everything that is sealed with the first keys and seals it with the
    ///     second.
    /// - Returns: Whether the database's log could be cleared. That is not possible while another
    ///   program reads the file. The log then contains rows under the old key until a later write
    ///   clears it.
    public func rotate(
        to key: SecretBytes, _ reseal: @escaping @Sendable (Database, SealingKeys, SealingKeys) throws -> Void
    ) async throws -> Bool {
        let next = try SealingKeys(kind, key)
        do {
            try await queue.writeToEnd { [self] database in
                do {
                    try database.inTransaction {
                        try reseal(database, keys.withLock { $0 }, next)
                        try database.execute(
                            sql: "UPDATE \(kind) SET key_check = ?", arguments: [Data(next.checkValue)])
                        return .commit
                    }
                } catch {
                    commits.distrustLog()
                    // A failed commit may still have become durable.
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

    /// Tries for two seconds to clear the database's log, which succeeds when no other program
    /// reads the file. Writes continue between the tries.
    private func clearsLog() async -> Bool {
        for _ in 0..<20 {
            let isClear = try? await queue.writeWithoutTransaction { database in
                // Otherwise SQLite would wait for a reader while it holds the database.
                try database.withBusyTimeout(0) { (try? database.checkpoint(.truncate)) != nil }
            }
            if isClear == true { return true }
            try? await Task.sleep(for: .milliseconds(100))
        }
        return false
    }
}

extension DatabaseQueue {
    /// As `writeWithoutTransaction`, but for a cancelled task, too.
    fileprivate func writeToEnd(_ body: @escaping @Sendable (Database) throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            asyncWriteWithoutTransaction { database in continuation.resume(with: Swift.Result { try body(database) }) }
        }
    }
}

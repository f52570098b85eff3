package import Bytes
private import Dispatch
private import FoundationEssentials
package import GRDB

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// A store that is only read, also while its writer has it open. Each query sees one state of it:
/// what was committed when the query began.
package final class StoreReader: Sendable {
    private let kind: String
    /// The name in errors: kind and folder.
    private let name: String
    private let keys: SealingKeys
    private let queue: DatabaseQueue

    /// Opens the store in `folder`.
    ///
    /// - Parameters:
    ///   - kind: As of ``SealedStore``.
    ///   - key: 32 random bytes: the key that the store has now.
    /// - Throws: ``StoreError/missing(store:)`` where there is none, and what ``SealedStore`` throws
    ///   of one that is another user's, of a later release, or sealed with another key.
    package init(_ kind: String, folder: String, key: SecretBytes, migrator: DatabaseMigrator) throws(StoreError) {
        let name = "\(kind) \(folder)"
        let path = "\(folder)/\(kind).sqlite"
        (self.kind, self.name) = (kind, name)
        keys = try SealingKeys(kind, key)
        try SystemFiles().look(at: path, in: folder, store: name)
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(Self.patience)
            queue = try DatabaseQueue(path: path, configuration: configuration)
            guard try !queue.read({ try migrator.hasBeenSuperseded($0) }) else { throw StoreError.newer(store: name) }
            guard try queue.read({ try migrator.hasCompletedMigrations($0) }) else {
                throw StoreError.missing(store: name)
            }
        } catch {
            throw StoreError(error, store: name)
        }
        do {
            try read { _, _ in }
        } catch {
            throw StoreError(error, store: name)
        }
    }

    /// For a lock of the writer's, in seconds. It holds one only while it opens or closes the file.
    private static let patience = 5.0

    /// Runs `body` in a transaction that sees one state of the store; an error of the database is
    /// thrown as ``StoreError``.
    package func read<Result>(_ body: (Database, SealingKeys) throws -> Result) throws -> Result {
        do {
            return try queue.inDatabase { database in
                try database.beginTransaction(.deferred)
                // There is nothing to commit.
                defer { try? database.rollback() }
                // The writer may have changed the key since.
                let checkValue = try Data.fetchOne(database, sql: "SELECT key_check FROM \(kind)")
                guard checkValue.map({ Array($0) }) == keys.checkValue else { throw StoreError.otherKey(store: name) }
                return try body(database, keys)
            }
        } catch let error as DatabaseError {
            throw StoreError(error, store: name)
        }
    }

    /// Copies the store as it is now into `folder`, which is created: all of it, or nothing. The
    /// writer goes on meanwhile.
    ///
    /// - Parameter progress: Called with the pages that are copied, and with their number. If it
    ///   throws, nothing is copied.
    /// - Throws: ``StoreError/exists(store:)`` if the folder has a store.
    package func copy(
        to folder: String, progress: @escaping (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
    ) throws(StoreError) {
        let copy = "\(kind) \(folder)"
        let path = "\(folder)/\(kind).sqlite"
        let part = path + ".part"
        let files = SystemFiles()
        try files.makeFolder(folder, store: copy)
        guard !FileManager.default.fileExists(atPath: path) else { throw .exists(store: copy) }
        // What an interrupted copy left.
        unsafe unlink(part)
        try files.makeDatabase(part, store: copy)
        do {
            try read { database, _ in
                let target = try DatabaseQueue(path: part)
                try target.writeWithoutTransaction { target in
                    try database.backup(to: target, pagesPerStep: Self.pagesAtOnce) {
                        try progress($0.completedPageCount, $0.totalPageCount)
                    }
                }
                try target.close()
                // The copy is one file: reading it leaves no log and no shared memory beside it.
                let copied = try DatabaseQueue(path: part)
                try copied.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
                try copied.close()
            }
            try files.publish(part, as: path, store: copy)
        } catch {
            for rest in ["", "-journal", "-wal", "-shm"] { unsafe unlink(part + rest) }
            throw StoreError(error, store: copy)
        }
    }

    /// A quarter of a megabyte.
    private static let pagesAtOnce: CInt = 64
}

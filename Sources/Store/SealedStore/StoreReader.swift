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
    private let path: String
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
        (self.kind, self.name, self.path) = (kind, name, path)
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
            throw StoreError(reading: error, path, store: name)
        }
        do {
            try read { _, _ in }
        } catch {
            throw StoreError(reading: error, path, store: name)
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
            throw StoreError(reading: error, path, store: name)
        }
    }

    /// Copies the store as it is now into `folder`, which is created: all of it, or nothing. The
    /// writer goes on meanwhile.
    ///
    /// - Parameter progress: Called with the pages that are copied, and with their number. If it
    ///   throws, nothing is copied.
    /// - Throws: ``StoreError/exists(store:)`` if the folder exists.
    package func copy(
        to folder: String, progress: @escaping (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
    ) throws(StoreError) {
        let copy = "\(kind) \(folder)"
        let path = "\(folder)/\(kind).sqlite"
        let part = path + ".part"
        let files = SystemFiles()
        try files.makeNewFolder(folder, store: copy)
        do {
            try files.makeDatabase(part, store: copy)
            try read { database, _ in
                do {
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
                } catch let error as DatabaseError where !error.isDamage {
                    // The store itself is only read.
                    throw StoreError(error, store: copy)
                }
            }
            try files.publish(part, as: path, store: copy)
        } catch {
            for rest in ["", "-journal", "-wal", "-shm"] { unsafe unlink(part + rest) }
            unsafe rmdir(folder)
            throw StoreError(error, store: copy)
        }
    }

    /// Whether the store was made by ``copy(to:progress:)``, and no writer has opened it since.
    package func isCopy() throws -> Bool {
        try read { database, _ in try String.fetchOne(database, sql: "PRAGMA journal_mode") != "wal" }
    }

    /// A quarter of a megabyte.
    private static let pagesAtOnce: CInt = 64
}

extension DatabaseError {
    /// Whether the file is no database any more, or a part of it is damaged.
    fileprivate var isDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(resultCode) }
}

extension StoreError {
    /// Of a store that is only read: nothing was to be stored.
    fileprivate init(reading error: any Error, _ path: String, store: String) {
        guard let fault = error as? DatabaseError else {
            self.init(error, store: store)
            return
        }
        if fault.isDamage {
            self = .unreadable(store: store)
        } else if [.SQLITE_READONLY, .SQLITE_CANTOPEN].contains(fault.resultCode),
            FileManager.default.fileExists(atPath: path + "-journal")
        {
            // A reader cannot undo what a writer left half done.
            self = .interrupted(store: store)
        } else {
            self.init(error, store: store)
        }
    }
}

import GRDB
import Synchronization

/// Writes that came while the database was busy become lasting together, by one flush of the disk.
///
/// Each is atomic, independent of the others, and durable when its call returns.
final class GroupCommit: Sendable {
    private struct Write {
        let durability: SealedStore.Durability
        /// Returns what tells the caller, once the write is lasting.
        let run: @Sendable (Database) throws -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private struct Waiting {
        var writes: [Write] = []
        /// Whether the queue is about to take them.
        var areAwaited = false
        /// Whether the log may have a gap on the disk (``distrustLog()``).
        var logIsDoubtful = false
    }

    private let queue: DatabaseQueue
    private let waiting = Mutex(Waiting())

    init(_ queue: DatabaseQueue) { self.queue = queue }

    /// Cancelling the task does not stop the write: who asked for it must know that it is there.
    ///
    /// - Throws: What `body` throws, and what the database does.
    func write<Result: Sendable>(
        _ durability: SealedStore.Durability, _ body: @escaping @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let write = Write(durability: durability) {
                let result = try body($0)
                return { continuation.resume(returning: result) }
            } fail: {
                continuation.resume(throwing: $0)
            }
            let isFirst = waiting.withLock { waiting in
                waiting.writes.append(write)
                defer { waiting.areAwaited = true }
                return !waiting.areAwaited
            }
            if isFirst { takeWaiting() }
        }
    }

    private func takeWaiting() {
        queue.asyncWriteWithoutTransaction { [self] database in
            let writes = waiting.withLock { waiting in
                defer { waiting.writes = [] }
                return waiting.writes
            }
            if writes.allSatisfy({ $0.durability == .eventual }) {
                withoutFlush(database) { commit(writes, database) }
            } else {
                commit(writes, database)
            }
            let isMore = waiting.withLock { waiting in
                waiting.areAwaited = !waiting.writes.isEmpty
                return waiting.areAwaited
            }
            // By a new turn of the queue, so that others who wait for it have theirs.
            if isMore { takeWaiting() }
        }
    }

    /// After a flush that failed. The system forgets what it could not write and counts it as written, so that earlier commits that
    /// were not flushed may be missing on the disk, in front of every later one.
    func distrustLog() { waiting.withLock { $0.logIsDoubtful = true } }

    /// Copies the log into the database, which is flushed again, and begins a new one.
    ///
    /// - Throws: If that cannot be done; then nothing that is committed can be called lasting.
    private func restoreTrust(_ database: Database) throws {
        guard waiting.withLock({ $0.logIsDoubtful }) else { return }
        _ = try database.checkpoint(.truncate)
        waiting.withLock { $0.logIsDoubtful = false }
    }

    private func noteFailure(_ error: any Error) {
        if let error = error as? DatabaseError, error.resultCode == .SQLITE_IOERR { distrustLog() }
    }

    /// Commits without waiting for the disk: SQLite orders them before every later commit, and the
    /// next one that waits makes them lasting too.
    private func withoutFlush(_ database: Database, _ body: () -> Void) {
        let isSet = (try? database.execute(sql: "PRAGMA synchronous = NORMAL")) != nil
        body()
        if isSet { try? database.execute(sql: "PRAGMA synchronous = FULL") }
    }

    private func commit(_ writes: [Write], _ database: Database) {
        guard writes.count > 1 else {
            for write in writes { commit(write, database) }
            return
        }
        do {
            var ends: [@Sendable () -> Void] = []
            try restoreTrust(database)
            try database.inTransaction {
                for write in writes { ends.append(try end(of: write, database)) }
                return .commit
            }
            for end in ends { end() }
        } catch {
            noteFailure(error)
            // Nothing is lasting. What failed for one of them need not fail for the others.
            for write in writes { commit(write, database) }
        }
    }

    /// Runs one write of several: what `body` refuses is undone alone, and a failure of the database is thrown.
    private func end(of write: Write, _ database: Database) throws -> @Sendable () -> Void {
        try database.cachedStatement(sql: "SAVEPOINT write").execute()
        do {
            let end = try write.run(database)
            try database.cachedStatement(sql: "RELEASE write").execute()
            return end
        } catch let error where !(error is DatabaseError) {
            try database.cachedStatement(sql: "ROLLBACK TO write").execute()
            try database.cachedStatement(sql: "RELEASE write").execute()
            return { write.fail(error) }
        }
    }

    private func commit(_ write: Write, _ database: Database) {
        do {
            var end: (@Sendable () -> Void)?
            try restoreTrust(database)
            try database.inTransaction {
                end = try write.run(database)
                return .commit
            }
            end?()
        } catch {
            noteFailure(error)
            write.fail(error)
        }
    }
}

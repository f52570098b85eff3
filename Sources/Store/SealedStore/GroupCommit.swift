import GRDB
import Synchronization

/// Writes that arrived while the database was busy become durable together, with one flush of the
/// disk.
///
/// Each write is atomic, independent of the others, and durable when its call returns.
final class GroupCommit: Sendable {
    private struct Write {
        let durability: SealedStore.Durability
        /// Returns a function that informs the caller; it is called when the write is durable.
        let run: @Sendable (Database) throws -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
    }

    private struct Waiting {
        var writes: [Write] = []
        /// Whether a turn of the queue is scheduled for them.
        var areAwaited = false
        /// Whether the log on the disk may have a gap (``distrustLog()``).
        var logIsDoubtful = false
        /// The part of the log that was flushed; nil if it is not known.
        var flushed: LogPlace?
    }

    private let queue: DatabaseQueue
    private let waiting: Mutex<Waiting>
    /// Released after the connection, which writes in progress keep open.
    private let lock: any StoreLock

    /// - Parameter flushed: The part of the log that is certainly on the disk.
    init(_ queue: DatabaseQueue, _ lock: any StoreLock, flushed: LogPlace?) {
        self.queue = queue
        self.lock = lock
        waiting = Mutex(Waiting(flushed: flushed))
    }

    /// Cancelling the task does not stop the write: the caller must know that it happened.
    ///
    /// - Throws: Errors of `body` and of the database.
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
                noteFlush(database) { commit(writes, database) }
            }
            let isMore = waiting.withLock { waiting in
                waiting.areAwaited = !waiting.writes.isEmpty
                return waiting.areAwaited
            }
            // In a new turn of the queue, so that other waiting work can run first.
            if isMore { takeWaiting() }
        }
    }

    /// Called after a failed flush. The system then counts unwritten data as written. So earlier
    /// unflushed commits may be missing on the disk, before later ones.
    func distrustLog() { waiting.withLock { $0.logIsDoubtful = true } }

    /// Copies the log into the database, flushes the database and begins a new log. A program that
    /// reads the file prevents it: a payment waits a moment for it, and not for SQLite's two
    /// seconds.
    ///
    /// Before that, what may be missing on the disk is written once more: if the power goes while
    /// the log is copied, the database has some of its pages, and the log must have them all.
    ///
    /// - Throws: An error if that fails; no commit is then certainly durable.
    private func restoreTrust(_ database: Database) throws {
        let (isDoubtful, flushed) = waiting.withLock { ($0.logIsDoubtful, $0.flushed) }
        guard isDoubtful else { return }
        try database.writeLogAgain(after: flushed)
        _ = try database.withBusyTimeout(200) { try database.checkpoint(.truncate) }
        waiting.withLock { $0.logIsDoubtful = false }
    }

    /// Runs `body`, and notes that the log is on the disk up to its end if it committed something:
    /// SQLite then flushed it, with all before it.
    private func noteFlush(_ database: Database, _ body: () -> Bool) {
        let before = database.endOfLog
        guard body(), let end = database.endOfLog, end != before else { return }
        waiting.withLock { $0.flushed = end }
    }

    private func noteFailure(_ error: any Error) {
        if let error = error as? DatabaseError, error.resultCode == .SQLITE_IOERR { distrustLog() }
    }

    /// Commits without waiting for the disk: SQLite orders them before all later commits, and the
    /// next flushed commit makes them durable, too.
    private func withoutFlush(_ database: Database, _ body: () -> Void) {
        let isSet = (try? database.execute(sql: "PRAGMA synchronous = NORMAL")) != nil
        body()
        if isSet { try? database.execute(sql: "PRAGMA synchronous = FULL") }
    }

    /// - Returns: Whether the last commit succeeded.
    @discardableResult
    private func commit(_ writes: [Write], _ database: Database) -> Bool {
        guard writes.count > 1 else { return commitEach(writes, database) }
        do {
            var ends: [@Sendable () -> Void] = []
            try restoreTrust(database)
            try database.inTransaction {
                for write in writes { ends.append(try end(of: write, database)) }
                return .commit
            }
            for end in ends { end() }
            return true
        } catch {
            noteFailure(error)
            // Nothing was committed. The failure of one write need not affect the others.
            return commitEach(writes, database)
        }
    }

    private func commitEach(_ writes: [Write], _ database: Database) -> Bool {
        var succeeded = false
        for write in writes { succeeded = commit(write, database) }
        return succeeded
    }

    /// Runs one of several writes: an error of `body` rolls back only this write; an error of the
    /// database is thrown.
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

    private func commit(_ write: Write, _ database: Database) -> Bool {
        do {
            var end: (@Sendable () -> Void)?
            try restoreTrust(database)
            try database.inTransaction {
                end = try write.run(database)
                return .commit
            }
            end?()
            return true
        } catch {
            noteFailure(error)
            write.fail(error)
            return false
        }
    }
}

import GRDB
private import Synchronization

/// The connection for queries beside writes. It is open only while there are queries: SQLite takes
/// some 100 KiB for an idle one, and a process may have many stores.
final class QueryConnection: Sendable {
    private struct State {
        var queue: DatabaseQueue?
        /// The number of queries that use the connection.
        var count = 0
        var isClosed = false
    }

    private let open: @Sendable () throws -> DatabaseQueue
    private let state = Mutex(State())
    /// Released after the connection, which queries in progress keep open.
    private let lock: any StoreLock

    /// - Parameter open: Opens a connection.
    init(_ lock: any StoreLock, open: @escaping @Sendable () throws -> DatabaseQueue) {
        self.lock = lock
        self.open = open
    }

    /// Runs `body` in a transaction that sees one state of the database. Queries at the same time
    /// share a connection, one after the other. Cancelling the task does not stop the query.
    ///
    /// - Throws: What `body` throws; a `DatabaseError` if the connection cannot be opened, or after
    ///   ``close()``.
    func read<Result: Sendable>(_ body: @escaping @Sendable (Database) throws -> Result) async throws -> Result {
        let queue = try begin()
        defer { end() }
        return try await withCheckedThrowingContinuation { continuation in
            // GRDB's own reads crash on a connection that was closed before their turn.
            queue.asyncWriteWithoutTransaction { [self] database in
                continuation.resume(with: Swift.Result { try query(database, body) })
            }
        }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Waits for the query in progress, and refuses all later ones.
    func close() throws {
        let queue = state.withLock { state in
            state.isClosed = true
            return state.queue
        }
        try queue?.close()
    }

    private func query<Result>(_ database: Database, _ body: (Database) throws -> Result) throws -> Result {
        guard !isClosed else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
        try database.beginTransaction(.deferred)
        // There is nothing to commit.
        defer { try? database.rollback() }
        return try body(database)
    }

    private func begin() throws -> DatabaseQueue {
        try state.withLock { state in
            guard !state.isClosed else { throw DatabaseError(resultCode: .SQLITE_MISUSE) }
            let queue = try state.queue ?? open()
            state.queue = queue
            state.count += 1
            return queue
        }
    }

    private func end() {
        let unused = state.withLock { state -> DatabaseQueue? in
            state.count -= 1
            guard state.count == 0 else { return nil }
            defer { state.queue = nil }
            return state.queue
        }
        try? unused?.close()
    }
}

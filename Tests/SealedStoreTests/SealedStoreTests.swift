import Bytes
import Foundation
import GRDB
import Synchronization
import Testing

@testable import SealedStore

@Suite struct SealedStoreTests {
    private struct Refused: Error {}

    /// A store with a table `note` of unique texts.
    private func withStore(_ body: (SealedStore) async throws -> Void) async throws {
        try await withStore { store, _ in try await body(store) }
    }

    private func withStore(_ body: (SealedStore, _ folder: String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "store-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try Self.open(folder)
        try await body(store, folder)
        try store.close()
    }

    private static func open(_ folder: String) throws -> SealedStore {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: "CREATE TABLE notes (key_check BLOB NOT NULL); CREATE TABLE note (text TEXT PRIMARY KEY)")
        }
        return try SealedStore(
            "notes", folder: folder, key: SecretBytes([UInt8](repeating: 7, count: 32)), migrator: migrator)
    }

    /// Holds the database until every one of the writes has been asked for, so that they become one
    /// group.
    private func together(_ store: SealedStore, _ writes: [@Sendable (Database) throws -> Void]) async throws
        -> [Result<Void, any Error>]
    {
        let gate = DispatchSemaphore(value: 0)
        let (held, isHeld) = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            try await store.write { _, _ in
                isHeld.finish()
                gate.wait()
            }
        }
        for await _ in held {}
        // Each runs at once to where it waits for its group.
        let others = writes.map { write in
            Task.immediate { try await store.write { database, _ in try write(database) } }
        }
        gate.signal()
        try await first.value
        var results: [Result<Void, any Error>] = []
        for other in others { results.append(await other.result) }
        return results
    }

    private static func note(_ text: String) -> @Sendable (Database) throws -> Void {
        { try $0.execute(sql: "INSERT INTO note VALUES (?)", arguments: [text]) }
    }

    private func notes(_ store: SealedStore) async throws -> [String] {
        try await store.write { database, _ in try Self.texts(database) }
    }

    private static func texts(_ database: Database) throws -> [String] {
        try String.fetchAll(database, sql: "SELECT text FROM note ORDER BY text")
    }

    /// fsync(2): after an error the pages that were to be written may count as clean. What was
    /// committed without a flush before is then missing on the disk, in the middle of the log.
    @Test("after a failed flush the log is copied into the database before anything is called lasting")
    func failedFlush() async throws {
        try await withStore { store, folder in
            try await store.write(.eventual) { database, _ in try Self.note("eventual")(database) }
            await #expect(throws: StoreError.self) {
                try await store.write { _, _ in throw DatabaseError(resultCode: .SQLITE_IOERR_FSYNC) }
            }
            try await store.write { database, _ in try Self.note("lasting")(database) }
            let copy = NSTemporaryDirectory() + "store-\(UUID().uuidString).sqlite"
            defer { try? FileManager.default.removeItem(atPath: copy) }
            // Without its log.
            try FileManager.default.copyItem(atPath: "\(folder)/notes.sqlite", toPath: copy)
            let texts = try await DatabaseQueue(path: copy).read {
                try String.fetchAll($0, sql: "SELECT text FROM note")
            }
            #expect(texts == ["eventual"])
        }
    }

    /// The flush of the second write failed before its process died: the next process reads it, and
    /// the disk has the log of the first. A file that was truncated and not flushed since comes
    /// back with the power.
    @Test("what a new process has read is there after a power cut that brings an older log back") func olderLog()
        async throws
    {
        try await withStore { store, folder in
            let (next, restarted) = ("\(folder).next", "\(folder).restarted")
            defer { for path in [next, restarted] { try? FileManager.default.removeItem(atPath: path) } }
            func log(_ folder: String) -> URL { URL(filePath: "\(folder)/notes.sqlite-wal") }
            try await store.write { database, _ in try Self.note("first")(database) }
            let older = try Data(contentsOf: log(folder))
            try await store.write { database, _ in try database.execute(sql: "UPDATE note SET text = 'second'") }
            try FileManager.default.copyItem(atPath: folder, toPath: next)
            let reader = try Self.open(next)
            #expect(try await notes(reader) == ["second"])
            try FileManager.default.copyItem(atPath: next, toPath: restarted)
            try reader.close()
            if try Data(contentsOf: log(restarted)).isEmpty { try older.write(to: log(restarted)) }
            let last = try Self.open(restarted)
            #expect(try await notes(last) == ["second"])
            try last.close()
        }
    }

    @Test(
        "a commit waits for the disk, and what is deleted is overwritten (SQLite, PRAGMA synchronous: 2 is FULL; PRAGMA secure_delete)"
    )
    func pragmas() async throws {
        try await withStore { store in
            let answers = try await store.write { database, _ in
                try ["journal_mode", "synchronous", "secure_delete"].map {
                    try String.fetchOne(database, sql: "PRAGMA \($0)")
                }
            }
            #expect(answers == ["wal", "2", "1"])
        }
    }

    @Test("writes that wait for each other share a commit") func shared() async throws {
        try await withStore { store in
            let counter = CommitCounter()
            try await store.write { database, _ in database.add(transactionObserver: counter) }
            let before = counter.count
            let results = try await together(store, (0..<20).map { Self.note("\($0)") })
            for result in results { try result.get() }
            #expect(counter.count - before == 2, "of the write that held the database, and of the twenty")
            #expect(try await notes(store).count == 20)
        }
    }

    @Test("a refused write is undone alone, and only its caller gets the error") func refused() async throws {
        try await withStore { store in
            let results = try await together(
                store,
                [
                    Self.note("a"),
                    {
                        try Self.note("b")($0)
                        throw Refused()
                    },
                    Self.note("c"),
                ])
            #expect(results.map { (try? $0.get()) != nil } == [true, false, true])
            #expect(throws: Refused.self) { try results[1].get() }
            #expect(try await notes(store) == ["a", "c"])
        }
    }

    @Test("where the database fails one of them, the others are lasting all the same") func failed() async throws {
        try await withStore { store in
            try await store.write { database, _ in try Self.note("b")(database) }
            let results = try await together(store, [Self.note("a"), Self.note("b"), Self.note("c")])
            #expect(results.map { (try? $0.get()) != nil } == [true, false, true])
            #expect(throws: StoreError.self) { try results[1].get() }
            #expect(try await notes(store) == ["a", "b", "c"])
        }
    }

    @Test("A cancelled task's write is stored: who asked for it must know that it is there") func cancelled()
        async throws
    {
        try await withStore { store in
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                try await store.write { database, _ in try Self.note("a")(database) }
            }
            task.cancel()
            try await task.value
            #expect(try await notes(store) == ["a"])
        }
    }

    @Test("A query that takes long does not stop a write", .timeLimit(.minutes(20))) func slowQuery() async throws {
        try await withStore { store in
            let (isReading, isWritten) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let query = Task {
                try await store.read { database, _ in
                    let before = try Int.fetchOne(database, sql: "SELECT count(*) FROM note")
                    isReading.signal()
                    isWritten.wait()
                    return (before, try Int.fetchOne(database, sql: "SELECT count(*) FROM note"))
                }
            }
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    isReading.wait()
                    continuation.resume()
                }
            }
            try await store.write { database, _ in try Self.note("a")(database) }
            isWritten.signal()
            #expect(try await query.value == (0, 0), "it sees the store as it was when it began")
            #expect(try await notes(store) == ["a"])
        }
    }

    @Test("a closed store fails, and does not wait") func closed() async throws {
        try await withStore { store in
            try store.close()
            await #expect(throws: StoreError.self) {
                try await store.write { database, _ in try Self.note("a")(database) }
            }
            await #expect(throws: StoreError.self) { try await store.read { database, _ in try Self.texts(database) } }
        }
    }

    @Test("a cancelled task still reads: its caller could not distinguish that from a store that fails")
    func cancelledRead() async throws {
        try await withStore { store in
            try await store.write { database, _ in try Self.note("a")(database) }
            let reading = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await store.read { database, _ in try Self.texts(database) }
            }
            reading.cancel()
            #expect(try await reading.value == ["a"])
        }
    }

    @Test("queries at the same time share a connection, which is closed after the last of them") func queryConnection()
        async throws
    {
        try await withStore { _, folder in
            let opened = Mutex<[DatabaseQueue]>([])
            let queries = QueryConnection(NoLock()) {
                let queue = try DatabaseQueue(path: "\(folder)/notes.sqlite")
                opened.withLock { $0.append(queue) }
                return queue
            }
            let gate = DispatchSemaphore(value: 0)
            // Each runs at once to where it waits for its turn.
            let first = Task.immediate { try await queries.read { _ in gate.wait() } }
            let second = Task.immediate { try await queries.read { try Self.texts($0) } }
            gate.signal()
            try await first.value
            #expect(try await second.value.isEmpty)
            let shared = try #require(opened.withLock { $0.first })
            #expect(throws: DatabaseError.self) {
                try shared.writeWithoutTransaction { try $0.execute(sql: "SELECT 1") }
            }
            #expect(try await queries.read { try Self.texts($0) }.isEmpty)
            #expect(opened.withLock { $0.count } == 2)
        }
    }

    /// What a Python program says of the database; the descriptor of its lock is that of the
    /// program.
    private static func python(_ script: String, _ folder: String) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, "\(folder)/notes.sqlite"]
        process.standardOutput = output
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test("a second writer is refused by any path to the database; a reader is not, and SQLite's own locks stay")
    func secondWriter() async throws {
        try await withStore { store, folder in
            try await store.write { database, _ in try Self.note("a")(database) }
            let link = "\(folder)-link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder)
            defer { try? FileManager.default.removeItem(atPath: link) }
            for path in [folder, "\(folder)/../\(URL(filePath: folder).lastPathComponent)"] {
                let error = #expect(throws: StoreError.self) { try Self.open(path) }
                #expect(error == .inUse(store: "notes \(path)"))
            }
            #expect(throws: StoreError.link(store: "notes \(link)", path: link)) { try Self.open(link) }
            let writer = """
                import fcntl, sys
                try: fcntl.flock(open(sys.argv[1], "r+b"), fcntl.LOCK_EX | fcntl.LOCK_NB); print("locked")
                except BlockingIOError: print("refused")
                """
            #expect(try Self.python(writer, folder) == "refused", "another process")
            let reader = """
                import sqlite3, sys
                c = sqlite3.connect(sys.argv[1]); print(c.execute("SELECT text FROM note").fetchone()[0]); c.close()
                """
            #expect(try Self.python(reader, folder) == "a")
            // The last program that closes the database would have removed the log.
            #expect(FileManager.default.fileExists(atPath: "\(folder)/notes.sqlite-wal"))
            try await store.write { database, _ in try Self.note("b")(database) }
            #expect(try await notes(store) == ["a", "b"])
        }
    }

    @Test("a store that was closed, or released, can be opened again") func reopened() async throws {
        let folder = NSTemporaryDirectory() + "store-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for _ in 0..<3 {
            let store = try Self.open(folder)
            try store.close()
        }
        _ = try Self.open(folder)
        _ = try Self.open(folder)
    }

    /// As a child process has them between fork and exec.
    @Test("a store that was closed can be opened while copies of its descriptors are open") func copied() throws {
        let folder = NSTemporaryDirectory() + "store-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try Self.open(folder)
        let own = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { CInt($0) }.filter {
            descriptor in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            return target?.hasSuffix("\(folder.split(separator: "/").last ?? "")/notes.sqlite") == true
        }
        try #require(!own.isEmpty)
        let copies = own.map { dup($0) }
        defer { for copy in copies { close(copy) } }
        try store.close()
        try Self.open(folder).close()
    }

    /// The next file has the number of the one that was closed.
    @Test("A store that was deleted does not hold the next one back") func deleted() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let path = NSTemporaryDirectory() + "lock-\(UUID().uuidString)"
                    for _ in 0..<5_000 {
                        try Data().write(to: URL(filePath: path))
                        let lock = try DatabaseLock(path: path, store: "notes")
                        try FileManager.default.removeItem(atPath: path)
                        lock.release()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("a query whose turn comes after the connection was closed fails") func closedBeforeItsTurn() async throws {
        try await withStore { _, folder in
            let queries = QueryConnection(NoLock()) { try DatabaseQueue(path: "\(folder)/notes.sqlite") }
            let gate = DispatchSemaphore(value: 0)
            let (held, isHeld) = AsyncStream.makeStream(of: Void.self)
            let first = Task.immediate {
                try await queries.read { _ in
                    isHeld.finish()
                    gate.wait()
                }
            }
            for await _ in held {}
            let second = Task.immediate { try await queries.read { try Self.texts($0) } }
            let closing = Task.detached { try queries.close() }
            while !queries.isClosed { await Task.yield() }
            gate.signal()
            try await first.value
            await #expect(throws: DatabaseError.self) { try await second.value }
            try await closing.value
        }
    }
}

/// Counts the commits that have changed something.
private final class CommitCounter: TransactionObserver, Sendable {
    private let commits = Mutex(0)
    var count: Int { commits.withLock { $0 } }
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) {}
    func databaseDidCommit(_ db: Database) { commits.withLock { $0 += 1 } }
    func databaseDidRollback(_ db: Database) {}
}

/// For a connection that nobody else has.
private struct NoLock: StoreLock {
    func release() {}
}

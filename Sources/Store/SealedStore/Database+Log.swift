import CSQLite
import GRDB

/// A place in the write-ahead log.
struct LogPlace: Sendable, Equatable {
    /// Of the log's header: a log that begins again has another one.
    let salt: UInt32
    /// How many frames come before it.
    let frames: UInt32
    /// In bytes.
    let pageSize: UInt32
}

extension Database {
    /// The end of the write-ahead log, committed frames only; nil if there is none, or the
    /// connection is closed.
    var endOfLog: LogPlace? {
        guard let sqliteConnection = unsafe sqliteConnection else { return nil }
        var end = cardpresent_sqlite_log_place()
        var pageSize: UInt32 = 0
        guard unsafe cardpresent_sqlite_log_end(sqliteConnection, &end, &pageSize) == SQLITE_OK else { return nil }
        return LogPlace(salt: end.salt, frames: end.frames, pageSize: pageSize)
    }

    /// Writes the log after `place` once more, as the system has it, and flushes it.
    ///
    /// - Parameter place: What is certainly on the disk; nil for the whole log.
    func writeLogAgain(after place: LogPlace?) throws {
        guard let end = endOfLog else { return }
        let first = place.flatMap { $0.salt == end.salt ? $0.frames : nil } ?? 0
        guard first < end.frames else { return }
        var frame = [UInt8](repeating: 0, count: Int(clamping: end.pageSize) + 24)
        let result = unsafe cardpresent_sqlite_write_log_again(
            sqliteConnection, first, end.frames, end.pageSize, &frame)
        guard result == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: result)) }
    }
}

extension Database {
    /// The time that SQLite waits for locks of other connections, in milliseconds.
    static let busyTimeout = 2000

    /// Runs `body` with another busy timeout, in milliseconds.
    func withBusyTimeout<Result>(_ milliseconds: Int, _ body: () throws -> Result) throws -> Result {
        try execute(sql: "PRAGMA busy_timeout = \(milliseconds)")
        defer { try? execute(sql: "PRAGMA busy_timeout = \(Self.busyTimeout)") }
        return try body()
    }
}

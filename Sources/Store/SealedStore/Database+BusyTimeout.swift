import GRDB

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

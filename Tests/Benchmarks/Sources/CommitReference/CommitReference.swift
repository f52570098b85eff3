import Foundation
import GRDB

/// What SQLite and the disk give: one row of 500 bytes a commit, with the pragmas of vault and
/// journal and nothing else.
public enum CommitReference {
    /// Commits a second.
    public static func rate(folder: String, commits: Int) throws -> Double {
        let start = ContinuousClock.now
        try run(folder: folder, commits: commits)
        return Double(commits) / (Double((ContinuousClock.now - start) / .nanoseconds(1)) / 1e9)
    }

    public static func run(folder: String, commits: Int) throws {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
        }
        let queue = try DatabaseQueue(
            path: folder + "/reference-\(UUID().uuidString).sqlite", configuration: configuration)
        try queue.write { try $0.execute(sql: "CREATE TABLE sale (id INTEGER PRIMARY KEY, answer BLOB NOT NULL)") }
        let answer = Data(repeating: 0xA5, count: 500)
        for _ in 0..<commits {
            try queue.write { try $0.execute(sql: "INSERT INTO sale (answer) VALUES (?)", arguments: [answer]) }
        }
    }
}

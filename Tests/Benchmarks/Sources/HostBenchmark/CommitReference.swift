import Foundation
import GRDB

/// What the disk gives: one row a commit, with the vault's pragmas and nothing else.
enum CommitReference {
    /// Commits a second.
    static func rate(folder: String, commits: Int) throws -> Double {
        var configuration = Configuration()
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
        }
        let queue = try DatabaseQueue(path: folder + "/reference-\(UUID().uuidString).sqlite", configuration: configuration)
        try queue.write { try $0.execute(sql: "CREATE TABLE sale (id INTEGER PRIMARY KEY, answer BLOB NOT NULL)") }
        let answer = Data(repeating: 0xA5, count: 500)
        let start = ContinuousClock.now
        for _ in 0..<commits {
            try queue.write { try $0.execute(sql: "INSERT INTO sale (answer) VALUES (?)", arguments: [answer]) }
        }
        return Double(commits) / (Double((ContinuousClock.now - start) / .nanoseconds(1)) / 1e9)
    }
}

import Bytes
import FoundationEssentials
import GRDB

/// Where the bench host keeps cards, orders and the counters of the cards it has seen: one SQLite file in a folder of its own.
///
/// Card numbers, expiry dates, names and the integrator's details are sealed with AES-256-GCM; CVV, track and PIN have no column. One process at a
/// time has the vault. Every write is one transaction: it is there whole, or not at all.
final class Vault: Sendable {
    private let folder: String
    private let keys: VaultKeys
    private let queue: DatabaseQueue
    /// Held as long as the vault is open. Properties go in their order, so the database is closed first.
    private let lock: VaultLock

    /// Opens the vault in `folder`, which is made, with an empty vault, if it is not there.
    ///
    /// - Parameter vaultKey: 32 random bytes, kept apart from the folder; no other key opens the vault again.
    init(folder: String, vaultKey: SecretBytes) throws(VaultError) {
        self.folder = folder
        keys = try VaultKeys(vaultKey)
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unwritable(folder: folder, reason: "the folder cannot be made")
        }
        lock = try VaultLock(folder: folder)
        var configuration = Configuration()
        configuration.journalMode = .wal
        // Of a process that ends the system may drop the vault's lock before it drops those of the database.
        configuration.busyMode = .timeout(2)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
        }
        do {
            queue = try DatabaseQueue(path: folder + "/vault.sqlite", configuration: configuration)
            try VaultSchema.migrator.migrate(queue)
            try queue.write { [keys] in try VaultTransaction(database: $0, keys: keys).claim(folder: folder) }
        } catch {
            throw VaultError(error, folder: folder)
        }
    }

    /// Runs `body` in one transaction, which is rolled back if it throws; an error of the database comes as ``VaultError``.
    func transaction<Result: Sendable>(_ body: @escaping @Sendable (VaultTransaction) throws -> Result) async throws -> Result {
        do {
            return try await queue.write { [keys] in try body(VaultTransaction(database: $0, keys: keys)) }
        } catch let error as DatabaseError {
            throw VaultError(error, folder: folder)
        }
    }
}

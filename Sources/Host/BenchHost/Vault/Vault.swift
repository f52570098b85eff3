import Bytes
import SealedStore

/// Stores the bench host's cards, orders and card counters: one SQLite file in its own folder.
///
/// Card numbers, expiry dates, names and the integrator's details are sealed with AES-256-GCM; CVV,
/// track and PIN have no column.
final class Vault: Sendable {
    private let store: SealedStore

    /// Opens the vault in `folder`. If the folder does not exist, it is created with an empty
    /// vault.
    ///
    /// - Parameters:
    ///   - vaultKey: 32 random bytes, kept separate from the folder; only this key opens the vault
    ///     again.
    ///   - files: The file system of the folder and its lock.
    init(folder: String, vaultKey: SecretBytes, files: some StoreFiles) throws(StoreError) {
        store = try SealedStore(
            "vault", folder: folder, key: vaultKey, migrator: VaultSchema.migrator, files: files)
    }

    func close() throws(StoreError) { try store.close() }

    /// Runs `body` in one transaction, which is rolled back if it throws; an error of the database
    /// is thrown as ``StoreError``.
    func transaction<Result: Sendable>(_ body: @escaping @Sendable (VaultTransaction) throws -> Result) async throws
        -> Result
    {
        try await store.write { try body(VaultTransaction(database: $0, keys: $1)) }
    }
}

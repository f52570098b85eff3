import Bytes
import SealedStore

/// Where the bench host keeps cards, orders and the counters of the cards it has seen: one SQLite file in a folder of its own.
///
/// Card numbers, expiry dates, names and the integrator's details are sealed with AES-256-GCM; CVV, track and PIN have no column.
final class Vault: Sendable {
    private let store: SealedStore

    /// Opens the vault in `folder`, which is made, with an empty vault, if it is not there.
    ///
    /// - Parameter vaultKey: 32 random bytes, kept apart from the folder; no other key opens the vault again.
    init(folder: String, vaultKey: SecretBytes) throws(StoreError) {
        store = try SealedStore("vault", folder: folder, key: vaultKey, migrator: VaultSchema.migrator)
    }

    func close() throws(StoreError) { try store.close() }

    /// Runs `body` in one transaction, which is rolled back if it throws; an error of the database comes as ``StoreError``.
    func transaction<Result: Sendable>(_ body: @escaping @Sendable (VaultTransaction) throws -> Result) async throws -> Result {
        try await store.write { try body(VaultTransaction(database: $0, keys: $1)) }
    }
}

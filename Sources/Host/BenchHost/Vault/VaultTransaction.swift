import GRDB
import SealedStore

/// The vault within one database transaction: all its changes become durable together.
struct VaultTransaction {
    let database: Database
    let keys: SealingKeys
}

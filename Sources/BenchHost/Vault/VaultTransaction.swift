import GRDB
import SealedStore

/// The vault within one database transaction: every change made through it becomes lasting together.
struct VaultTransaction {
    let database: Database
    let keys: SealingKeys
}

import FoundationEssentials
import GRDB

/// The vault within one database transaction: every change made through it becomes lasting together.
struct VaultTransaction {
    let database: Database
    let keys: VaultKeys

    /// Writes the check value of the vault's key if the vault is new, and refuses any other key if it is not.
    func claim(folder: String) throws {
        if let checkValue = try Data.fetchOne(database, sql: "SELECT key_check FROM vault") {
            guard Array(checkValue) == keys.checkValue else { throw VaultError.otherKey(folder: folder) }
        } else {
            try database.execute(sql: "INSERT INTO vault VALUES (?)", arguments: [Data(keys.checkValue)])
        }
    }
}

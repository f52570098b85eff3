public import Bytes
import FoundationEssentials
import GRDB
public import PaymentTerminal
import SealedStore

/// The torn transactions of taps, sealed in the journal's own row. They are not an entry and not
/// part of the ledger: the kernel keeps each record only for minutes, and a journal with a gap
/// drops them.
extension SQLiteJournal {
    private static let place = "torn transactions"

    /// Uses the writer's connection, like the look-up of an entry.
    public func tornTransactions() async throws(JournalError) -> SecretBytes? {
        try await write(.eventual) { database, keys in
            let statement = try database.cachedStatement(sql: "SELECT torn FROM journal")
            guard let sealed = try Data?.fetchOne(statement) ?? nil else { return SecretBytes([]) }
            // Without a readable record, the card computes a new cryptogram.
            return (try? keys.open(Array(sealed), for: Self.place)) ?? SecretBytes([])
        }
    }

    public func keepTornTransactions(_ records: SecretBytes) async throws(JournalError) {
        try await write(.lasting) { database, keys in
            let statement = try database.cachedStatement(sql: "UPDATE journal SET torn = ?")
            try statement.execute(arguments: [records.count == 0 ? nil : Data(keys.seal(records, for: Self.place))])
        }
    }

    static func resealTornTransactions(_ database: Database, _ old: SealingKeys, _ new: SealingKeys) throws {
        guard let sealed = try Data?.fetchOne(database, sql: "SELECT torn FROM journal") ?? nil else { return }
        let resealed = (try? old.open(Array(sealed), for: place)).map { Data(new.seal($0, for: place)) }
        try database.execute(sql: "UPDATE journal SET torn = ?", arguments: [resealed])
    }
}

public import BackOffice
public import Bytes
import FoundationEssentials
import GRDB
import PaymentTerminal
public import SealedStore

/// A back office's transactions in an SQLite file of its own folder.
///
/// Receipts are sealed with AES-256-GCM. What is searched and ordered is in clear, in a file that
/// only its owner can open: ids, amounts, times, states, names of customers, masked card numbers.
public final class SQLiteTransactionStore: TransactionStore {
    private let store: SealedStore

    /// Opens the transactions in `folder`. If the folder does not exist, it is created.
    ///
    /// - Parameters:
    ///   - folder: Of one merchant; one process can open it at a time.
    ///   - key: 32 random bytes, kept separate from the folder; only this key opens it again.
    public init(folder: String, key: SecretBytes) throws(StoreError) {
        store = try SealedStore("office", folder: folder, key: key, migrator: BackOfficeSchema.migrator)
    }

    /// Later calls fail.
    public func close() throws(StoreError) { try store.close() }

    public func add(_ row: TransactionRow, receipt: ReceiptData?) async throws {
        guard receipt?.isWithinLimits ?? true else { throw TransactionStoreError.receiptTooLarge }
        try await store.write { database, keys in
            if let known = try Row.fetchOne(
                database, sql: "SELECT * FROM listed WHERE id = ?", arguments: [row.id])
            {
                guard try NumberedRow(known).row.isSame(as: row) else { throw TransactionStoreError.exists }
                return
            }
            try database.insert(row, receipt: receipt.map { try Self.sealed($0, of: row.id, keys) })
            try database.count(DailyTotals(row), currency: row.amount.currency.number)
        }
    }

    public func change(_ id: String, to state: TransactionState) async throws {
        try await store.write { database, _ in
            guard
                let known = try Row.fetchOne(
                    database, sql: "SELECT * FROM listed WHERE id = ?", arguments: [id])
            else { throw TransactionStoreError.notFound }
            let row = try NumberedRow(known).row
            guard row.state != state else { return }
            try database.execute(
                sql: "UPDATE listed SET state = ? WHERE id = ?", arguments: [state.rawValue, id])
            try database.discount(DailyTotals(row), currency: row.amount.currency.number)
            let changed = DailyTotals(row).moved(to: state)
            try database.count(changed, currency: row.amount.currency.number)
        }
    }

    public func transaction(_ id: String) async throws -> TransactionRow? {
        try await store.read { database, _ in
            try Row.fetchOne(database, sql: "SELECT * FROM listed WHERE id = ?", arguments: [id])
                .map { try NumberedRow($0).row }
        }
    }

    public func receipt(of id: String) async throws -> ReceiptData? {
        try await store.read { database, keys in
            let sealed = try Data.fetchOne(
                database, sql: "SELECT receipt FROM listed WHERE id = ? AND receipt IS NOT NULL", arguments: [id])
            return try sealed.map { try Self.opened($0, of: id, keys) }
        }
    }

    public func search(_ query: SearchQuery) async throws -> SearchPage {
        try await store.read { database, _ in
            let latest = try Int64.fetchOne(database, sql: "SELECT max(sequence) FROM listed") ?? 0
            let selection = SearchStatement(query, latest: latest)
            let found = try Row.fetchAll(
                database.cachedStatement(sql: selection.sql), arguments: selection.arguments)
            return SearchPage(query, try found.map { try NumberedRow($0) }, asOf: selection.asOf)
        }
    }

    public func statistics(_ query: StatisticsQuery) async throws -> Statistics {
        try await store.read { database, _ in try database.statistics(query) }
    }

    private static func place(of id: String) -> String { "receipt of transaction \(id)" }

    private static func sealed(_ receipt: ReceiptData, of id: String, _ keys: SealingKeys) throws -> Data {
        var encoded = Array(try JSONEncoder().encode(receipt))
        return Data(keys.seal(SecretBytes(wiping: &encoded), for: place(of: id)))
    }

    private static func opened(_ sealed: Data, of id: String, _ keys: SealingKeys) throws -> ReceiptData {
        let content = try keys.open(Array(sealed), for: place(of: id))
        var encoded = content.revealed()
        defer { wipe(&encoded) }
        do { return try JSONDecoder().decode(ReceiptData.self, from: Data(encoded)) } catch {
            throw StoreError.damaged
        }
    }
}

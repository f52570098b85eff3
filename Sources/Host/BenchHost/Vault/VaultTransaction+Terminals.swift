import Bytes
import CardCapture
import FoundationEssentials
import GRDB
import PaymentTerminal
import SealedStore

extension VaultTransaction {
    func save(_ terminal: BenchTerminal) throws {
        let settings = String(decoding: try JSONEncoder().encode(terminal.settings), as: UTF8.self)
        let id = terminal.settings.terminalID
        try database.execute(
            sql: "INSERT OR REPLACE INTO terminal VALUES (?, ?, ?, ?)",
            arguments: [
                id, settings, Data(keys.seal(terminal.secret, for: Self.place(id))), terminal.hashCoversCurrency,
            ])
    }

    func terminal(_ id: String) throws -> BenchTerminal? {
        try Row.fetchOne(database, sql: "SELECT * FROM terminal WHERE terminal_id = ?", arguments: [id]).map {
            try terminal($0)
        }
    }

    func hasTerminal(_ id: String) throws -> Bool {
        try Bool.fetchOne(
            database.cachedStatement(sql: "SELECT 1 FROM terminal WHERE terminal_id = ?"), arguments: [id]) != nil
    }

    func terminals() throws -> [BenchTerminal] {
        try Row.fetchAll(database, sql: "SELECT * FROM terminal ORDER BY terminal_id").map { try terminal($0) }
    }

    private func terminal(_ row: Row) throws -> BenchTerminal {
        let id: String = row["terminal_id"]
        let settings: String = row["settings"]
        return BenchTerminal(
            settings: try JSONDecoder().decode(HostSettings.self, from: Data(settings.utf8)),
            secret: try keys.open(Array(row["secret"] as Data), for: Self.place(id)),
            hashCoversCurrency: row["hash_covers_currency"])
    }

    private static func place(_ terminalID: String) -> String { "secret of terminal \(terminalID)" }

    func saveAPIKey(_ key: SecretBytes, alias: String, terminals: [String]) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO api_key VALUES (?, ?, ?)",
            arguments: [
                alias, Data(keys.lookupValue(of: key)),
                String(decoding: try JSONEncoder().encode(terminals), as: UTF8.self),
            ])
    }

    func account(of key: SecretBytes) throws -> APIKeyAccount? {
        try Row.fetchOne(
            database, sql: "SELECT * FROM api_key WHERE key_hash = ?", arguments: [Data(keys.lookupValue(of: key))]
        ).map {
            let terminals: String = $0["terminals"]
            return APIKeyAccount(
                alias: $0["alias"], terminals: try JSONDecoder().decode([String].self, from: Data(terminals.utf8)))
        }
    }

    // MARK: Settlement

    private static let settles =
        """
        kind IN ('sale', 'capture', 'refund') AND state IN ('approved', 'approvedOffline') AND terminal_id = ?
        AND authorized_amount BETWEEN 0 AND \(BenchHost.greatestAmount)
        """

    /// - Throws: ``PaymentTerminal/HostError/Refusal/notAllowed`` for sums that no batch can have.
    func closeBatch(of terminalID: String, at moment: Timestamp) throws -> ClosedBatch? {
        let rows = try Row.fetchAll(
            database, sql: "SELECT currency, kind, authorized_amount FROM payment_order WHERE \(Self.settles)",
            arguments: [terminalID])
        guard !rows.isEmpty else { return nil }
        var sums: [Currency: Int64] = [:]
        for row in rows {
            guard let currency = (row["currency"] as UInt16?).flatMap({ Currency(number: $0) }) else { continue }
            let amount: Int64 = row["authorized_amount"]
            let isRefund = row["kind"] == TransactionRecord.Kind.refund.rawValue
            let (sum, isTooLarge) = sums[currency, default: 0].addingReportingOverflow(isRefund ? -amount : amount)
            guard !isTooLarge else {
                throw HostError(.notAllowed, "the sums of the batch have more than 18 digits: use another folder")
            }
            sums[currency] = sum
        }
        try database.execute(
            sql: "INSERT INTO batch (terminal_id, seconds_since_1970) VALUES (?, ?)",
            arguments: [terminalID, moment.secondsSince1970])
        let number = database.lastInsertedRowID
        try database.execute(
            sql: "UPDATE payment_order SET state = 'settled', batch = ? WHERE \(Self.settles)",
            arguments: [number, terminalID])
        return ClosedBatch(
            number: number, terminalID: terminalID, transactions: rows.count,
            totals: sums.map { Money(minorUnits: $0.value, currency: $0.key) }.sorted {
                $0.currency.code < $1.currency.code
            })
    }

    /// Keeps reversals that arrived before their orders: the order may still arrive.
    func purge(before moment: Int64) throws -> Int {
        try database.execute(
            sql: """
                DELETE FROM payment_order WHERE state IN ('settled', 'declined', 'reversed', 'voided', 'captured')
                AND (seconds_since_1970 < ? OR seconds_since_1970 IS NULL)
                """, arguments: [moment])
        return database.changesCount
    }
}

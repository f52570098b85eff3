import Bytes
import CardCapture
import CardCryptography
import FoundationEssentials
import GRDB
import PaymentTerminal
import SealedStore

/// The database row of one entry.
struct EntryRow {
    let orderID: String
    let key: String?
    let stage: String
    let seconds: Int64
    /// The version of the content.
    let version: Int
    /// The number of the journal's write that last changed the row.
    let written: UInt64
    /// The day of that write by the journal's own count.
    let day: Int64
    var content: Data

    static let columns = "order_id, idempotency_key, stage, seconds_since_1970, version, written, day, content"

    /// - Throws: ``StoreError/damaged`` for a row that violates the constraints of the table, for
    ///   example after a disk error.
    init(_ row: Row) throws(StoreError) {
        func value(_ index: Int) -> DatabaseValue { row[index] }
        guard let orderID = String.fromDatabaseValue(value(0)), let stage = String.fromDatabaseValue(value(2)),
            let seconds = Int64.fromDatabaseValue(value(3)), let version = Int.fromDatabaseValue(value(4)),
            let written = Int64.fromDatabaseValue(value(5)), let day = Int64.fromDatabaseValue(value(6)),
            let content = Data.fromDatabaseValue(value(7))
        else { throw .damaged }
        self.orderID = orderID
        key = String.fromDatabaseValue(value(1))
        self.stage = stage
        self.seconds = seconds
        self.version = version
        self.written = UInt64(bitPattern: written)
        self.day = day
        self.content = content
    }

    /// Seals an entry, with the number and the day of its write.
    init(_ entry: JournalEntry, _ ledger: JournalLedger, _ keys: SealingKeys) {
        orderID = entry.orderID.text
        key = entry.key?.text
        stage = entry.stage.rawValue
        seconds = entry.timestamp.secondsSince1970
        version = JournalEntry.contentVersion
        written = ledger.written
        day = ledger.day.number
        content = Data()
        content = Data(keys.seal(entry.content(), for: place))
    }

    /// The values in the order of ``columns``.
    var arguments: StatementArguments {
        [orderID, key, stage, seconds, version, Int64(bitPattern: written), day, content]
    }

    /// The associated data of the seal: the clear columns cannot be changed without breaking the
    /// seal.
    private var place: String {
        [orderID, stage, key ?? "", "\(seconds)", "\(version)", "\(written)", "\(day)"].joined(separator: "\u{1F}")
    }

    func entry(_ keys: SealingKeys) throws -> JournalEntry {
        let entry = try JournalEntry(content: keys.open(Array(content), for: place), version: version)
        guard entry.orderID.text == orderID, entry.stage.rawValue == stage, entry.key?.text == key else {
            throw StoreError.damaged
        }
        return entry
    }

    mutating func reseal(_ old: SealingKeys, _ new: SealingKeys) throws {
        content = Data(new.seal(try old.open(Array(content), for: place), for: place))
    }

    /// The row's contribution to the ledger: HMAC-SHA-256 over its columns and the tag of its seal.
    func code(_ key: SecretBytes) -> [UInt8] {
        HMACSHA256.authenticate(Array("ledger\u{1F}\(orderID)\u{1F}\(place)\u{1F}".utf8) + content.suffix(16), key: key)
    }

    static func cursor(_ database: Database, _ condition: String, _ arguments: StatementArguments = []) throws
        -> MapCursor<
            RowCursor, EntryRow
        >
    {
        let statement = try database.cachedStatement(sql: "SELECT \(columns) FROM entry \(condition)")
        return try Row.fetchCursor(statement, arguments: arguments).map { try EntryRow($0) }
    }

    static func fetch(_ database: Database, orderID: String) throws -> EntryRow? {
        try cursor(database, "WHERE order_id = ?", [orderID]).next()
    }

    func insert(_ database: Database) throws {
        let statement = try database.cachedStatement(
            sql: "INSERT INTO entry (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        try statement.execute(arguments: arguments)
    }

    func update(_ database: Database) throws {
        let statement = try database.cachedStatement(
            sql: """
                UPDATE entry SET order_id = ?1, idempotency_key = ?2, stage = ?3, seconds_since_1970 = ?4, version = ?5, written = ?6,
                day = ?7, content = ?8 WHERE order_id = ?1
                """)
        try statement.execute(arguments: arguments)
    }

    /// Moves the row to the table of entries that are kept but no longer read.
    func setAside(_ database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO unreadable (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            arguments: arguments)
        try database.execute(sql: "DELETE FROM entry WHERE order_id = ?", arguments: [orderID])
    }
}

public import Basket
public import Bytes
import FoundationEssentials
import GRDB
import JSONDocument
public import PaymentTerminal
public import SealedStore

/// A till's baskets and its payments in cash in an SQLite file, sealed with AES-256-GCM.
///
/// Names of baskets and order ids are in clear. Each write is on the disk when its call returns.
/// Only one process at a time can open it. A login is no part of it: baskets stay when one ends.
public final class SQLiteTillRecords: BasketStore, CashRecorder {
    private let store: SealedStore

    /// Opens the records in `folder`, which is created if it does not exist.
    ///
    /// - Parameter key: 32 random bytes, kept separate from the folder.
    public init(folder: String, key: SecretBytes) throws(StoreError) {
        store = try SealedStore(
            "till", folder: folder, key: key, migrator: Self.migrator, files: SystemFiles(), cache: 64)
    }

    /// Closes the file at once. Later calls fail.
    public func close() throws(StoreError) { try store.close() }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE till (key_check BLOB NOT NULL);
                    -- content is the JSON document, sealed for this name alone.
                    CREATE TABLE basket (name TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT;
                    CREATE TABLE cash (
                        number INTEGER PRIMARY KEY,
                        order_id TEXT NOT NULL UNIQUE,
                        content BLOB NOT NULL
                    ) STRICT;
                    """)
        }
        return migrator
    }

    // MARK: Baskets

    public func keep(_ basket: Basket, as name: BasketName) async throws {
        let document = basket.json.document
        try await store.write { database, keys in
            try database.execute(
                sql: "INSERT INTO basket VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET content = excluded.content",
                arguments: [name.text, Self.seal(document, keys, "basket \(name)")])
        }
    }

    public func basket(_ name: BasketName) async throws -> Basket? {
        try await store.read { database, keys in
            try Data.fetchOne(database, sql: "SELECT content FROM basket WHERE name = ?", arguments: [name.text])
                .map { try Basket(parsing: Self.open($0, keys, "basket \(name)")) }
        }
    }

    public func forget(_ name: BasketName) async throws {
        try await store.write { database, _ in
            try database.execute(sql: "DELETE FROM basket WHERE name = ?", arguments: [name.text])
        }
    }

    public func names() async throws -> [BasketName] {
        try await store.read { database, _ in
            try String.fetchAll(database, sql: "SELECT name FROM basket ORDER BY name").map { try BasketName($0) }
        }
    }

    // MARK: Cash

    public func record(_ payment: CashPayment) async throws {
        let document = payment.json.document
        try await store.write { database, keys in
            if let kept = try Self.cash(database, keys, payment.orderID) {
                guard kept == payment else { throw CashError.orderExists }
                return
            }
            try database.execute(
                sql: "INSERT INTO cash (order_id, content) VALUES (?, ?)",
                arguments: [payment.orderID.text, Self.seal(document, keys, "cash \(payment.orderID)")])
        }
    }

    public func payment(for orderID: OrderID) async throws -> CashPayment? {
        try await store.read { try Self.cash($0, $1, orderID) }
    }

    public func payments(from offset: Int, limit: Int) async throws -> [CashPayment] {
        try await store.read { database, keys in
            try Row.fetchAll(
                database, sql: "SELECT order_id, content FROM cash ORDER BY number LIMIT ? OFFSET ?",
                arguments: [max(0, limit), max(0, offset)]
            ).map { row in
                let orderID: String = row["order_id"]
                return try CashPayment(parsing: Self.open(row["content"], keys, "cash \(orderID)"))
            }
        }
    }

    private static func cash(_ database: Database, _ keys: SealingKeys, _ orderID: OrderID) throws -> CashPayment? {
        try Data.fetchOne(database, sql: "SELECT content FROM cash WHERE order_id = ?", arguments: [orderID.text])
            .map { try CashPayment(parsing: open($0, keys, "cash \(orderID)")) }
    }

    // MARK: Sealing

    private static func seal(_ document: [UInt8], _ keys: SealingKeys, _ place: String) -> Data {
        Data(keys.seal(SecretBytes(document), for: place))
    }

    private static func open(_ sealed: Data, _ keys: SealingKeys, _ place: String) throws(StoreError) -> [UInt8] {
        try keys.open(Array(sealed), for: place).revealed()
    }
}

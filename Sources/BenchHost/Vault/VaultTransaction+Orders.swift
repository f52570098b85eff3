import FoundationEssentials
import GRDB
import PaymentTerminal

extension VaultTransaction {
    func refuseKnown(_ orderID: OrderID) throws {
        guard try order(orderID) == nil else {
            throw HostError(.orderAlreadyProcessed, "Order Already Processed: choose another order id")
        }
    }

    /// Ten digits that no order has been given yet.
    func unusedUniqueReference() throws -> String {
        while true {
            let reference = String((0..<10).map { _ in Character(String(Int.random(in: 0...9))) })
            let used = try Bool.fetchOne(
                database, sql: "SELECT 1 FROM payment_order WHERE unique_reference = ?", arguments: [reference])
            if used == nil { return reference }
        }
    }

    func order(_ orderID: OrderID) throws -> OrderRecord? {
        try Row.fetchOne(database, sql: "SELECT * FROM payment_order WHERE order_id = ?", arguments: [orderID.text])
            .map { try OrderRecord($0) }
    }

    /// The latest orders, newest first.
    func orders(limit: Int) throws -> [OrderRecord] {
        try Row.fetchAll(database, sql: "SELECT * FROM payment_order ORDER BY rowid DESC LIMIT ?", arguments: [limit])
            .map { try OrderRecord($0) }
    }

    /// Writes the record in place of what the vault has for the order.
    func save(_ record: OrderRecord) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO payment_order
                (order_id, state, unique_reference, amount, currency, seconds_since_1970, masked_pan, response_code, approval_code, final_cryptogram)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                record.orderID.text, record.state.rawValue, record.uniqueReference, record.amount?.minorUnits,
                record.amount?.currency.number, record.secondsSince1970, record.maskedPAN, record.responseCode, record.approvalCode,
                record.finalCryptogram.map { Data($0) },
            ])
    }
}

extension OrderRecord {
    fileprivate init(_ row: Row) throws {
        guard let state = State(rawValue: row["state"]) else { throw VaultError.damaged }
        let currency = (row["currency"] as UInt16?).flatMap { Currency(number: $0) }
        self.init(
            orderID: try OrderID(row["order_id"]), state: state, uniqueReference: row["unique_reference"],
            amount: currency.map { Money(minorUnits: row["amount"], currency: $0) }, secondsSince1970: row["seconds_since_1970"],
            maskedPAN: row["masked_pan"], responseCode: row["response_code"], approvalCode: row["approval_code"],
            finalCryptogram: (row["final_cryptogram"] as Data?).map { Array($0) })
    }
}

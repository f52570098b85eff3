import FoundationEssentials
import GRDB
import PaymentTerminal

extension VaultTransaction {
    func refuseKnown(_ orderID: OrderID) throws {
        let known = try Bool.fetchOne(
            database.cachedStatement(sql: "SELECT 1 FROM payment_order WHERE order_id = ?"), arguments: [orderID.text])
        guard known == nil else {
            throw HostError(.orderAlreadyProcessed, "Order Already Processed: choose another order id")
        }
    }

    /// Ten digits that no order has been given yet.
    func unusedUniqueReference() throws -> String {
        while true {
            let reference = String((0..<10).map { _ in Character(String(Int.random(in: 0...9))) })
            let used = try Bool.fetchOne(
                database.cachedStatement(sql: "SELECT 1 FROM payment_order WHERE unique_reference = ?"), arguments: [reference])
            if used == nil { return reference }
        }
    }

    func order(_ orderID: OrderID) throws -> StoredOrder? {
        try Row.fetchOne(
            database.cachedStatement(sql: Self.selectOrders + " WHERE order_id = ?"), arguments: [orderID.text]
        )
        .map { try StoredOrder($0, keys) }
    }

    func order(uniqueReference: String) throws -> StoredOrder? {
        try Row.fetchOne(
            database.cachedStatement(sql: Self.selectOrders + " WHERE unique_reference = ?"), arguments: [uniqueReference]
        )
        .map { try StoredOrder($0, keys) }
    }

    /// The capture of the pre-authorisation, if it was captured.
    func capture(of uniqueReference: String) throws -> StoredOrder? {
        try Row.fetchOne(
            database.cachedStatement(
                sql: Self.selectOrders + " WHERE original = ? AND kind = 'capture' AND state IN ('approved', 'settled')"),
            arguments: [uniqueReference]
        ).map { try StoredOrder($0, keys) }
    }

    /// Whether a right ARQC of the card with this counter has come before.
    func hasSeen(_ counter: StoredOrder.CardCounter, panLookup: [UInt8]) throws -> Bool {
        try Bool.fetchOne(
            database.cachedStatement(sql: "SELECT 1 FROM payment_order WHERE pan_lookup = ? AND pan_sequence_number = ? AND atc = ?"),
            arguments: [Data(panLookup), counter.panSequenceNumber, counter.atc]) != nil
    }

    /// Every column, and what has been refunded of the order.
    static let selectOrders = """
        SELECT *, (
            SELECT SUM(refund.authorized_amount) FROM payment_order AS refund
            WHERE refund.original = payment_order.unique_reference AND refund.kind = 'refund' AND refund.state IN ('approved', 'settled')
        ) AS refunded FROM payment_order
        """

    /// Writes the order, in place of what the vault has of it.
    func save(_ order: StoredOrder) throws {
        let record = order.record
        let columns: KeyValuePairs<String, (any DatabaseValueConvertible)?> = [
            "order_id": record.orderID.text, "state": record.state.rawValue, "unique_reference": record.uniqueReference,
            "amount": record.amount?.minorUnits, "currency": record.amount?.currency.number,
            "seconds_since_1970": record.timestamp?.secondsSince1970, "masked_pan": record.maskedPAN, "response_code": record.responseCode,
            "approval_code": record.approvalCode, "final_cryptogram": order.finalCryptogram.map { Data($0) },
            "kind": record.kind.rawValue, "authorized_amount": record.authorizedAmount?.minorUnits,
            "utc_offset": record.timestamp?.utcOffset ?? 0, "original": record.original,
            "reversal_reason": record.reversalReason?.rawValue, "terminal_id": order.terminalID,
            "pan_lookup": order.panLookup.map { Data($0) }, "pan_sequence_number": order.counter?.panSequenceNumber,
            "atc": order.counter?.atc, "answer": try order.sealedAnswer(keys).map { Data($0) },
        ]
        let names = columns.map(\.key)
        try database.cachedStatement(
            sql: """
                INSERT INTO payment_order (\(names.joined(separator: ", "))) VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))
                ON CONFLICT (order_id) DO UPDATE SET \(names.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
                """
        ).execute(
            arguments: StatementArguments(columns.map(\.value)))
    }
}

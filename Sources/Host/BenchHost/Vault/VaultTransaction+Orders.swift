import CardCapture
import FoundationEssentials
import GRDB
import PaymentTerminal

extension VaultTransaction {
    func refuseKnown(_ orderID: OrderID, of terminalID: String) throws {
        let known = try Bool.fetchOne(
            database.cachedStatement(sql: "SELECT 1 FROM payment_order WHERE order_id = ? AND terminal_id = ?"),
            arguments: [orderID.text, terminalID])
        guard try known == nil && !isReversedEarly(orderID, of: [terminalID]) else {
            throw HostError(.orderAlreadyProcessed, "Order Already Processed: choose another order id")
        }
    }

    func refuseKnown(_ externalID: ExternalID?, of terminalID: String) throws {
        guard let externalID else { return }
        let known = try Bool.fetchOne(
            database.cachedStatement(sql: "SELECT 1 FROM external_id WHERE external_id = ? AND terminal_id = ?"),
            arguments: [externalID.text, terminalID])
        guard known == nil else {
            throw HostError(.invalidRequest, "another order has this external id: choose one that was never used")
        }
    }

    /// The first order that has it keeps it.
    func keep(_ externalID: ExternalID?, of order: StoredOrder) throws {
        guard let externalID else { return }
        try database.cachedStatement(sql: "INSERT OR IGNORE INTO external_id VALUES (?, ?, ?)").execute(
            arguments: [externalID.text, order.terminalID, order.record.orderID.text])
    }

    /// Whether one of the terminals, or a client that acts for all of them, reversed the order
    /// before it arrived.
    ///
    /// - Parameter terminals: nil for any terminal.
    func isReversedEarly(_ orderID: OrderID, of terminals: [String]?) throws -> Bool {
        let reversing = try String.fetchAll(
            database.cachedStatement(sql: "SELECT terminal_id FROM early_reversal WHERE order_id = ?"),
            arguments: [orderID.text])
        return reversing.contains { $0.isEmpty || terminals?.contains($0) ?? true }
    }

    /// - Parameter terminals: nil for all terminals.
    func saveEarlyReversal(of orderID: OrderID, by terminals: [String]?) throws {
        for terminal in terminals ?? [""] {
            try database.cachedStatement(sql: "INSERT OR IGNORE INTO early_reversal VALUES (?, ?)").execute(
                arguments: [orderID.text, terminal])
        }
    }

    /// Ten digits that are not yet the reference of an order.
    func unusedUniqueReference() throws -> String {
        while true {
            let reference = randomDigits(10)
            let used = try Bool.fetchOne(
                database.cachedStatement(sql: "SELECT 1 FROM payment_order WHERE unique_reference = ?"),
                arguments: [reference])
            if used == nil { return reference }
        }
    }

    /// The order that one of the terminals made.
    ///
    /// - Parameter terminals: nil for all terminals.
    /// - Throws: ``PaymentTerminal/HostError/Refusal/notAllowed`` if several of them have an order
    ///   with this id.
    func order(_ orderID: OrderID, of terminals: [String]?) throws -> StoredOrder? {
        let rows = try Row.fetchAll(
            database.cachedStatement(sql: Self.selectOrders + " WHERE order_id = ?"), arguments: [orderID.text]
        ).filter { row in
            let terminal: String = row["terminal_id"]
            return terminals?.contains(terminal) ?? true
        }
        guard rows.count < 2 else {
            throw HostError(.notAllowed, "several terminals have an order with this id: name the terminal")
        }
        return try rows.first.map { try StoredOrder($0, keys) }
    }

    func order(uniqueReference: String) throws -> StoredOrder? {
        try Row.fetchOne(
            database.cachedStatement(sql: Self.selectOrders + " WHERE unique_reference = ?"),
            arguments: [uniqueReference]
        )
        .map { try StoredOrder($0, keys) }
    }

    /// The capture of the pre-authorisation, if it was captured.
    func capture(of uniqueReference: String) throws -> StoredOrder? {
        try Row.fetchOne(
            database.cachedStatement(
                sql: Self.selectOrders + " WHERE original = ? AND kind = 'capture' AND state IN ('approved', 'settled')"
            ),
            arguments: [uniqueReference]
        ).map { try StoredOrder($0, keys) }
    }

    /// Every column, and the refunded amount of the order.
    static let selectOrders = """
        SELECT *, (
            SELECT SUM(refund.authorized_amount) FROM payment_order AS refund
            WHERE refund.original = payment_order.unique_reference AND refund.kind = 'refund' AND refund.state IN ('approved', 'settled')
        ) AS refunded FROM payment_order
        """

    /// Writes the order, replacing the stored one.
    func save(_ order: StoredOrder) throws {
        let sealed = Sealed(answer: try order.sealedAnswer(keys), signature: try order.sealedSignature(keys))
        let values: [(any DatabaseValueConvertible)?] = Self.columns.map { $0.value(order, sealed) }
        try database.cachedStatement(sql: Self.saveOrder).execute(arguments: StatementArguments(values))
    }

    /// The parts of an order that are sealed.
    private struct Sealed {
        let answer: Data?
        let signature: Data?
    }

    /// The value of each column, from an order and its sealed parts.
    private static let columns:
        [(name: String, value: @Sendable (StoredOrder, Sealed) -> (any DatabaseValueConvertible)?)] = [
            ("order_id", { order, _ in order.record.orderID.text }),
            ("state", { order, _ in order.record.state.rawValue }),
            ("unique_reference", { order, _ in order.record.uniqueReference }),
            ("amount", { order, _ in order.record.amount?.minorUnits }),
            ("currency", { order, _ in order.record.amount?.currency.number }),
            ("seconds_since_1970", { order, _ in order.record.timestamp?.secondsSince1970 }),
            ("masked_pan", { order, _ in order.record.maskedPAN }),
            ("response_code", { order, _ in order.record.responseCode }),
            ("approval_code", { order, _ in order.record.approvalCode }),
            ("final_cryptogram", { order, _ in order.finalCryptogram.map { Data($0) } }),
            ("kind", { order, _ in order.record.kind.rawValue }),
            ("authorized_amount", { order, _ in order.record.authorizedAmount?.minorUnits }),
            ("utc_offset", { order, _ in order.record.timestamp?.utcOffset ?? 0 }),
            ("original", { order, _ in order.record.original }),
            ("reversal_reason", { order, _ in order.record.reversalReason?.rawValue }),
            ("terminal_id", { order, _ in order.terminalID }),
            ("pan_lookup", { order, _ in order.panLookup.map { Data($0) } }),
            ("pan_sequence_number", { order, _ in order.counter?.panSequenceNumber }),
            ("atc", { order, _ in order.counter?.atc }),
            ("answer", { _, sealed in sealed.answer }),
            ("signature", { _, sealed in sealed.signature }),
        ]

    private static let saveOrder = """
        INSERT INTO payment_order (\(columns.map(\.name).joined(separator: ", "))) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
        ON CONFLICT (order_id, terminal_id) DO UPDATE SET \(columns.map { "\($0.name) = excluded.\($0.name)" }.joined(separator: ", "))
        """
}

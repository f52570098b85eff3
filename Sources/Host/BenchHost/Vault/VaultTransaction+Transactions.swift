import GRDB
import PaymentTerminal

extension VaultTransaction {
    /// The page of transactions that the query requests.
    ///
    /// - Parameter terminalID: nil for all terminals.
    func transactions(_ query: TransactionQuery, terminalID: String? = nil) throws -> TransactionQuery.Page {
        // The continuation of a query is the number of its next page.
        let page = query.continuation.map { Int($0) ?? -1 } ?? query.page
        guard page >= 0, (1...100).contains(query.pageSize), page <= Int(Int32.max) else {
            throw HostError(.invalidRequest, "a page has 1 to 100 transactions, and the first page is 0")
        }
        var conditions: [String] = []
        var arguments: StatementArguments = []
        func require(_ condition: String, _ values: [any DatabaseValueConvertible]) {
            conditions.append("(\(condition))")
            arguments += StatementArguments(values)
        }
        if let terminalID { require("terminal_id = ?", [terminalID]) }
        if let orderID = query.orderID { require("order_id = ?", [orderID.text]) }
        if let reference = query.uniqueReference { require("unique_reference = ?", [reference]) }
        if !query.states.isEmpty {
            require("state IN (\(Self.places(query.states.count)))", query.states.map(\.rawValue))
        }
        if !query.kinds.isEmpty { require("kind IN (\(Self.places(query.kinds.count)))", query.kinds.map(\.rawValue)) }
        if let period = query.period {
            require("seconds_since_1970 >= ? AND seconds_since_1970 < ?", [period.lowerBound, period.upperBound])
        }
        if let phrase = query.phrase, !phrase.isEmpty {
            let digits = phrase.utf8.allSatisfy { (0x30...0x39).contains($0) } ? phrase : nil
            require(
                "instr(order_id, ?) > 0 OR instr(unique_reference, ?) > 0 OR substr(masked_pan, -4) = ? OR amount = ?",
                [phrase, phrase, digits ?? "", digits.flatMap { Int64($0) } ?? -1])
        }
        let direction = query.isAscending ? "ASC" : "DESC"
        let order =
            switch query.order {
            case .time: "seconds_since_1970 \(direction), rowid \(direction)"
            case .amount: "amount \(direction), rowid \(direction)"
            }
        let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        // One more tells whether there is a next page.
        arguments += [query.pageSize + 1, page * query.pageSize]
        let records = try Row.fetchAll(
            database, sql: Self.selectOrders + filter + " ORDER BY \(order) LIMIT ? OFFSET ?", arguments: arguments
        ).map { try StoredOrder($0, keys).record }
        return TransactionQuery.Page(
            Array(records.prefix(query.pageSize)), next: records.count > query.pageSize ? String(page + 1) : nil)
    }

    private static func places(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
}

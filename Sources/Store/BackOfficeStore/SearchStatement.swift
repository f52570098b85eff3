import BackOffice
import GRDB

/// A search as SQL. Every value that somebody typed is an argument.
struct SearchStatement {
    let sql: String
    let arguments: StatementArguments
    let asOf: Int64

    /// - Parameter latest: The sequence of the row that was added last.
    init(_ query: SearchQuery, latest: Int64) {
        let column = query.order.column
        let (direction, comparison) = query.isDescending ? ("DESC", "<") : ("ASC", ">")
        // With a sign, SQLite does not take the sequence for the better index.
        var conditions = ["+sequence <= ?"]
        var arguments = StatementArguments()
        var offset = 0
        switch query.place {
        case .page(let number, let earlier):
            asOf = min(earlier ?? latest, latest)
            offset = query.offset(ofPage: number)
            arguments += [asOf]
        case .after(let cursor):
            asOf = min(cursor.asOf, latest)
            conditions.append("(\(column), sequence) \(comparison) (?, ?)")
            arguments += [asOf, cursor.key.databaseValue, cursor.sequence]
        }
        if !query.states.isEmpty {
            conditions.append("state IN (\(query.states.map { _ in "?" }.joined(separator: ", ")))")
            arguments += StatementArguments(query.states.map(\.rawValue))
        }
        switch query.phrase {
        case nil: break
        case .day(let day):
            conditions.append("day = ?")
            arguments += [day.daysSince1970]
        case .number(let number, let digits):
            conditions.append("(amount = ? OR whole_units = ? OR substr(id, 1, ?) = ?)")
            arguments += [number, number, digits.utf8.count, digits]
        case .text(let text):
            conditions.append("(substr(id, 1, ?) = ? OR instr(customer_key, ?) > 0)")
            arguments += [text.unicodeScalars.count, text, text.lowercased()]
        }
        sql = """
            SELECT * FROM listed WHERE \(conditions.joined(separator: " AND "))
            ORDER BY \(column) \(direction), sequence \(direction) LIMIT ? OFFSET ?
            """
        self.arguments = arguments + [query.pageSize + 1, offset]
    }
}

extension SearchQuery.Order {
    fileprivate var column: String {
        switch self {
        case .createdAt: "created_at"
        case .amount: "amount"
        case .name: "customer_key"
        }
    }
}

extension SearchKey {
    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .number(let number): number.databaseValue
        case .text(let text): text.databaseValue
        }
    }
}

import BackOffice
import GRDB

/// A search as SQL. Every value that somebody typed is an argument.
struct SearchStatement {
    let sql: String
    let arguments: StatementArguments
    let asOf: Int64

    /// Ids are printable ASCII: what begins with a text is before the text with this at its end.
    private static let afterEveryID = "\u{7F}"

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
            conditions.append("(amount = ? OR whole_units = ? OR (id >= ? AND id < ?))")
            arguments += [number, number, digits, digits + Self.afterEveryID]
        case .text(let text):
            // The names are read from their index, which is far smaller than the rows are.
            conditions.append(
                """
                sequence IN (SELECT sequence FROM listed INDEXED BY listed_customer WHERE instr(customer_key, ?) > 0
                UNION ALL SELECT sequence FROM listed WHERE id >= ? AND id < ?)
                """)
            arguments += [text.lowercased(), text, text + Self.afterEveryID]
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

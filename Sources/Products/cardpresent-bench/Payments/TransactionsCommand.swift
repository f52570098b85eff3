public import ArgumentParser
import Bytes
import CardCapture
import Console
import PaymentTerminal
import TerminalMessages

struct TransactionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transactions", abstract: "List the transactions that the host has, newest first.",
        discussion: """
            EXAMPLES
              cardpresent transactions
              cardpresent transactions --state declined --state reversed --limit 50
              cardpresent transactions --phrase 0119

            A gateway may not search by everything: the error says by what it can.

            \(ExitStatus.explanation)
            """)

    @Option(help: ArgumentHelp("Only this order.", valueName: "order"))
    var order: String?

    @Option(help: ArgumentHelp("Only in this state; may be repeated.", valueName: "state"))
    var state: [TransactionRecord.State] = []

    @Option(help: ArgumentHelp("Only of this kind; may be repeated.", valueName: "kind"))
    var kind: [TransactionRecord.Kind] = []

    @Option(
        help: ArgumentHelp(
            "Only with this in the order id, the host's reference, the last digits of the card, or the amount without decimals.",
            valueName: "text"))
    var phrase: String?

    @Option(help: ArgumentHelp("Sort by time or amount.", valueName: "order"))
    var sort: TransactionQuery.Order = .time

    @Flag(help: "Oldest, or smallest, first.")
    var ascending = false

    @Option(help: ArgumentHelp("How many, 1 to 100.", valueName: "count"))
    var limit = 10

    @Option(help: ArgumentHelp("Go on where an earlier list ended, which named this.", valueName: "continuation"))
    var next: String?

    @Flag(help: "As JSON (docs/terminal-messages.md).")
    var json = false

    @OptionGroup var shop: ShopOptions

    func validate() throws {
        if !(1...100).contains(limit) { throw ValidationError("--limit is 1 to 100") }
    }

    func run() async throws {
        try await reportingErrors {
            var query = TransactionQuery(
                orderID: try order.map { try OrderID($0) }, states: Set(state), kinds: Set(kind), phrase: phrase,
                order: sort, isAscending: ascending, pageSize: limit)
            query.continuation = next
            try await shop.withTerminal { terminal in
                let page = try await terminal.transactions(query)
                if json { return JSONText.show(TerminalMessage(.transactions(page)).json) }
                for record in page { print(record.line.onOneLine()) }
                if page.isEmpty { print("no transactions") }
                for order in page.unreadable {
                    printError("a record of the host cannot be read\(order.map { ": order \($0)" } ?? "")".onOneLine())
                }
                if let next = page.next { print("more: --next \(next)".onOneLine()) }
            }
        }
    }
}

extension TransactionRecord {
    /// Time, order, kind, state, amount, card and reference.
    fileprivate var line: String {
        [
            timestamp?.description ?? "-", orderID.text, kind.rawValue, state.rawValue,
            (authorizedAmount ?? amount)?.description ?? "-", maskedPAN ?? "-", uniqueReference,
            refundedAmount.map { "refunded \($0)" },
        ].compactMap(\.self).joined(separator: "  ")
    }
}

extension TransactionRecord.State: ExpressibleByArgument {}
extension TransactionRecord.Kind: ExpressibleByArgument {}
extension TransactionQuery.Order: ExpressibleByArgument {}

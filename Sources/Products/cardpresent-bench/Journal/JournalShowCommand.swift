import ArgumentParser
import Bytes
import Console
import JSONDocument
import PaymentTerminal
import Receipts
import TerminalJournal
import TerminalMessages

struct JournalShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the latest orders of a journal, newest first, or one order.",
        discussion: """
            EXAMPLES
              cardpresent journal show /var/lib/pos --key /etc/pos/journal.key
              cardpresent journal show /var/lib/pos --key /etc/pos/journal.key --order sale-17

            \(ExitStatus.explanation)
            """)

    @OptionGroup var journal: JournalPlace

    @Option(help: ArgumentHelp("Show only this order, with its receipt.", valueName: "order"))
    var order: String?

    @Option(help: ArgumentHelp("How many orders, newest first.", valueName: "count"))
    var limit: Int = 20

    @Flag(help: "As JSON.")
    var json = false

    func validate() throws {
        if limit < 1 { throw ValidationError("--limit is at least 1") }
    }

    func run() async throws {
        try await reportingErrors {
            let reader = try await journal.open()
            if let order {
                guard let entry = try reader.entry(for: try OrderID(order)) else {
                    printError("order \(order) not found in the journal".onOneLine())
                    throw ExitCode(ExitStatus.negative)
                }
                return show(entry)
            }
            var entries: [JournalEntry] = []
            let isWhole = try reader.tellEach(latest: limit) { entries.append($0) }
            if json {
                JSONText.show(["entries": .list(entries.reversed().map(\.json))])
            } else {
                for entry in entries.reversed() { print(entry.line) }
                if entries.isEmpty { print("no orders") }
            }
            if !isWhole { throw ExitCode(ExitStatus.notChecked) }
        }
    }

    private func show(_ entry: JournalEntry) {
        guard !json else { return JSONText.show(["entry": entry.json]) }
        print(entry.line)
        if let response = entry.response {
            print("  \(response.description)".onOneLine())
            if let reference = response.uniqueReference { print("  the host's reference \(reference)".onOneLine()) }
            if response.reversal != .none { print("  reversal \(response.reversal.rawValue)") }
            print("\n" + response.receipt.text(for: .merchant))
        }
    }
}

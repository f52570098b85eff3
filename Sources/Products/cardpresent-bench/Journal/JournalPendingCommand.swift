import ArgumentParser
import Console
import JSONDocument
import PaymentTerminal
import TerminalJournal
import TerminalMessages

struct JournalPendingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pending", abstract: "Show the orders that the host must still hear of, oldest first.",
        discussion: """
            A running till sends their messages by itself, as soon as the host is there; one that was ended sends \
            them after its next start. Do not repeat a payment that is listed here.

            The exit status is 1 if there are any.

            \(ExitStatus.explanation)
            """)

    @OptionGroup var journal: JournalPlace

    @Flag(help: "As JSON.")
    var json = false

    func run() async throws {
        try await reportingErrors {
            var entries: [JournalEntry] = []
            let isWhole = try await journal.open().tellEach(isOpen: true) { entries.append($0) }
            if json {
                JSONText.show(["entries": .list(entries.map(\.json))])
            } else {
                for entry in entries { print(entry.line) }
                if entries.isEmpty, isWhole { print("nothing is pending") }
            }
            if !entries.isEmpty { throw ExitCode(ExitStatus.negative) }
            if !isWhole { throw ExitCode(ExitStatus.notChecked) }
        }
    }
}

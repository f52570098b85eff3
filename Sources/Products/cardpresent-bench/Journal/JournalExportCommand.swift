import ArgumentParser
import Bytes
import CardCapture
import Console
import JSONDocument
import PaymentTerminal
import TerminalJournal
import TerminalMessages

struct JournalExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the orders of a journal for a back office, a JSON object in each line.",
        discussion: """
            Oldest first, with masked card numbers. Each line is an entry as of `journal show --json` (docs/json.md).

            EXAMPLES
              cardpresent journal export /var/lib/pos --key /etc/pos/journal.key --since 2026-03-01 --output march.jsonl

            \(ExitStatus.explanation)
            """)

    @OptionGroup var journal: JournalPlace

    @Option(help: ArgumentHelp("Orders that began on this day or later, by the till's date.", valueName: "date"))
    var since: String?

    @Option(help: ArgumentHelp("Orders that began on this day or earlier.", valueName: "date"))
    var until: String?

    @Option(help: ArgumentHelp("The file. Default: standard output.", valueName: "file"), completion: .file())
    var output: String?

    func validate() throws {
        for date in [since, until].compactMap(\.self) where date.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) == nil {
            throw ValidationError("a date has the form 2026-03-09")
        }
    }

    func run() async throws {
        try await reportingErrors {
            let reader = try await journal.open()
            guard let output else { return try write(reader) { print($0, terminator: "") } }
            var count = 0
            try OutputFile.replace(output) { line throws(InputError) in
                do {
                    try write(reader) {
                        count += 1
                        try line($0)
                    }
                } catch {
                    throw error as? InputError ?? InputError("\(error)")
                }
            }
            printError("\(output): \(count) orders".onOneLine())
        }
    }

    private func write(_ reader: JournalReader, _ line: (String) throws -> Void) throws {
        try reader.forEach { entry in
            let date = entry.timestamp.date
            guard date >= since ?? date, date <= until ?? date else { return }
            try line(String(decoding: entry.json.document, as: UTF8.self) + "\n")
        }
    }
}

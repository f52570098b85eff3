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
        for date in [since, until].compactMap(\.self)
        where date.wholeMatch(of: /[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])/) == nil {
            throw ValidationError("a date has the form 2026-03-09")
        }
        if let since, let until, since > until { throw ValidationError("--since is after --until") }
    }

    func run() async throws {
        try await reportingErrors {
            let reader = try await journal.open()
            guard let output else { return try end(try write(reader) { print($0, terminator: "") }) }
            if try journal.isOwn(output) {
                throw InputError("\(output) belongs to the journal or its key: give another file")
            }
            var (count, isWhole) = (0, true)
            try OutputFile.replace(output) { line throws(InputError) in
                do {
                    isWhole = try write(reader) {
                        count += 1
                        try line($0)
                    }
                } catch {
                    throw error as? InputError ?? InputError("\(error)")
                }
            }
            printError("\(output): \(count) orders".onOneLine())
            try end(isWhole)
        }
    }

    private func end(_ isWhole: Bool) throws { if !isWhole { throw ExitCode(ExitStatus.notChecked) } }

    /// - Returns: Whether all entries could be read.
    private func write(_ reader: JournalReader, _ line: (String) throws -> Void) throws -> Bool {
        try reader.tellEach { entry in
            let date = entry.timestamp.date
            guard date >= since ?? date, date <= until ?? date else { return }
            try line(String(decoding: entry.json.document, as: UTF8.self) + "\n")
        }
    }
}

import ArgumentParser
import Bytes
import Console
import JSONDocument
import TerminalJournal

struct JournalBackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy a journal into a new folder, also while the till is at work.",
        discussion: """
            The copy is whole: all that the till had written when the copy began. It is read and checked before the \
            command ends. It is sealed with the journal's key, which is not in it: keep the key elsewhere.

            To restore, end the till, put the copy in the place of the journal's folder, and start the till. It \
            knows that the journal is older, and reads the host's list before it takes a payment. Leave the \
            watermark beside the key as it is.

            EXAMPLES
              cardpresent journal backup /var/lib/pos --key /etc/pos/journal.key --to /mnt/backup/pos-monday

            \(ExitStatus.explanation)
            """)

    @OptionGroup var journal: JournalPlace

    @Option(
        help: ArgumentHelp("The folder of the copy, which is created.", valueName: "folder"), completion: .directory)
    var to: String

    @Flag(help: "As JSON.")
    var json = false

    func run() async throws {
        try await reportingErrors {
            let reader = try await journal.open()
            let interruption = try Interruption()
            let bar = Progress()
            do {
                try reader.backUp(to: to) { done, total throws(CancellationError) in
                    bar.show(done, of: total)
                    if interruption.signal != nil { throw CancellationError() }
                }
            } catch {
                bar.end()
                guard let signal = interruption.signal else { throw error }
                printError("interrupted: nothing was copied")
                throw ExitCode(128 + signal)
            }
            bar.end()
            let copy = try await JournalReader(folder: to, key: JournalKey.file(path: journal.key), watermark: .none)
            let report = try copy.check()
            guard json else {
                let words = report.isWhole ? "is whole" : "has the journal's faults: cardpresent journal check"
                print("\(to): \(report.entries) entries, \(report.open.count) pending; the copy \(words)".onOneLine())
                return try end(report.isWhole)
            }
            JSONText.show([
                "folder": .text(to), "entries": .number(report.entries), "pending": .number(report.open.count),
                "isWhole": .flag(report.isWhole),
            ])
            try end(report.isWhole)
        }
    }

    private func end(_ isWhole: Bool) throws {
        if !isWhole { throw ExitCode(ExitStatus.negative) }
    }
}

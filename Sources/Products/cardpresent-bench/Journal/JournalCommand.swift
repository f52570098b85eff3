import ArgumentParser
import Console

/// What an operator does with a till's journal.
struct JournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Show, check, back up and export a till's journal, and change its key.",
        discussion: """
            All but `rotate` only read, and may run while the till is at work. Run them as the till's user.

              cardpresent journal pending /var/lib/pos --key /etc/pos/journal.key
              cardpresent journal check /var/lib/pos --key /etc/pos/journal.key
              cardpresent journal backup /var/lib/pos --key /etc/pos/journal.key --to /mnt/backup/pos-monday

            \(ExitStatus.explanation)
            """,
        subcommands: [
            JournalShowCommand.self, JournalPendingCommand.self, JournalCheckCommand.self, JournalBackupCommand.self,
            JournalExportCommand.self, JournalRotateCommand.self,
        ])
}

import ArgumentParser
import Bytes
import Console
import JSONDocument

struct JournalRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Give a journal a new key, while no till uses it.",
        discussion: """
            Makes a new key, seals the journal with it, and puts it in the place of the key's file. The old key is \
            kept beside it, named by the day: backups from before need it. If the command is interrupted, run it \
            again: it goes on where it was.

            EXAMPLES
              systemctl stop till
              cardpresent journal rotate /var/lib/pos --key /etc/pos/journal.key
              systemctl start till

            \(ExitStatus.explanation)
            """)

    @OptionGroup var journal: JournalPlace

    @Flag(help: "As JSON.")
    var json = false

    func run() async throws {
        try await reportingErrors {
            let result = try await KeyRotation(journal).run()
            guard !json else {
                return JSONText.show([
                    "key": .text(journal.key), "oldKey": .text(result.oldKey), "isLogClear": .flag(result.isLogClear),
                ])
            }
            print("\(journal.key): the new key; \(result.oldKey): the old one, for backups from before".onOneLine())
            if !result.isLogClear {
                print("another program reads the journal: its log has rows under the old key until it ends")
            }
        }
    }
}

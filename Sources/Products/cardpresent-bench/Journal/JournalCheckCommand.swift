import ArgumentParser
import Bytes
import CardCapture
import Console
import Foundation
import JSONDocument
import PaymentTerminal
import TerminalJournal
import TerminalMessages

struct JournalCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a journal, its key and its disk, for a monitoring system.",
        discussion: """
            Reads every entry and compares them with the journal's own sum and its watermark. The exit status is 1 \
            if something is wrong, or beyond the limits of the options.

            EXAMPLES
              cardpresent journal check /var/lib/pos --key /etc/pos/journal.key
              cardpresent journal check /var/lib/pos --key /etc/pos/journal.key --max-age 15 --max-pending 5

            \(ExitStatus.explanation)
            """)

    @OptionGroup var journal: JournalPlace

    @Option(help: ArgumentHelp("How long a message may wait for the host.", valueName: "minutes"))
    var maxAge: Int = 60

    @Option(help: ArgumentHelp("How many orders may wait for the host. Default: any number.", valueName: "count"))
    var maxPending: Int?

    @Option(help: ArgumentHelp("How long the key may be in use.", valueName: "days"))
    var maxKeyAge: Int = 365

    @Option(help: ArgumentHelp("How much room the disk must have.", valueName: "MiB"))
    var minFree: Int = 64

    @Flag(help: "As JSON.")
    var json = false

    func validate() throws {
        if min(maxAge, maxPending ?? 0, maxKeyAge, minFree) < 0 {
            throw ValidationError("--max-age, --max-pending, --max-key-age and --min-free are 0 or more")
        }
    }

    func run() async throws {
        try await reportingErrors {
            let reader = try await journal.open()
            let bar = Progress()
            let report = try reader.check { bar.show($0, of: $1) }
            bar.end()
            let checks = [entries(report), gap(report), pending(report), key(), room()]
            if json {
                JSONText.show(document(report, checks))
            } else {
                let console = Console()
                for check in checks { console.check(check.isGood, check.subject, detail: check.words) }
            }
            if checks.contains(where: { !$0.isGood }) { throw ExitCode(ExitStatus.negative) }
        }
    }

    private struct Check {
        let subject: String
        let isGood: Bool
        let words: String
    }

    private func entries(_ report: JournalReport) -> Check {
        if report.isFileDamaged {
            return Check(
                subject: "entries", isGood: false,
                words: "the file is damaged behind \(report.entries) of them: end the till, and put back a backup")
        }
        guard report.unreadable.isEmpty else {
            let orders = report.unreadable.prefix(10).joined(separator: ", ").onOneLine()
            let more = report.unreadable.count > 10 ? " and \(report.unreadable.count - 10) more" : ""
            let count = "\(report.unreadable.count) cannot be read"
            return Check(
                subject: "entries", isGood: false, words: "\(count): look up at the host \(orders)\(more)")
        }
        return Check(subject: "entries", isGood: true, words: "\(report.entries), all can be read")
    }

    private func gap(_ report: JournalReport) -> Check {
        let words =
            switch report.gap {
            case .restored:
                "the journal is an older copy, and the till reads the host's list before its next payment; or its watermark is not beside the key: --watermark"
            case .changed: "entries were deleted or replaced from outside: compare with the host's list"
            case nil: "nothing is missing"
            }
        return Check(subject: "gap", isGood: report.gap == nil, words: words)
    }

    private func pending(_ report: JournalReport) -> Check {
        guard let oldest = report.open.first else {
            return Check(subject: "pending", isGood: true, words: "nothing waits for the host")
        }
        let minutes = age(of: oldest)
        let isGood = minutes <= maxAge && report.open.count <= maxPending ?? .max
        return Check(
            subject: "pending", isGood: isGood,
            words: "\(report.open.count) wait for the host, the oldest, \(oldest.orderID), for \(Self.words(minutes))"
                + (isGood ? "" : ": is the till running, and does it reach the host?"))
    }

    /// In minutes; a clock that is behind counts as none.
    private func age(of entry: JournalEntry) -> Int {
        let (seconds, overflow) = Timestamp.now().secondsSince1970
            .subtractingReportingOverflow(entry.timestamp.secondsSince1970)
        return overflow ? .max : max(0, Int(seconds / 60))
    }

    private static func words(_ minutes: Int) -> String {
        minutes < 120 ? "\(minutes) min" : minutes < 2880 ? "\(minutes / 60) h" : "\(minutes / 1440) days"
    }

    private func key() -> Check {
        let days = keyAge ?? 0
        let isGood = days <= maxKeyAge
        return Check(
            subject: "key", isGood: isGood,
            words: "in use for \(days) days" + (isGood ? "" : ": change it with cardpresent journal rotate"))
    }

    /// In days, by the time when its file was written.
    private var keyAge: Int? {
        let date = try? FileManager.default.attributesOfItem(atPath: journal.key)[.modificationDate] as? Date
        guard let age = date.map({ Date().timeIntervalSince($0) / 86_400 }) else { return nil }
        return Int(exactly: max(0, age).rounded(.down))
    }

    private func room() -> Check {
        let isGood = freeRoom.map { $0 >= minFree } ?? false
        return Check(
            subject: "disk", isGood: isGood,
            words: (freeRoom.map { "\($0) MiB free" } ?? "its room is not known")
                + (isGood ? "" : ": free some space, or no payment can be taken"))
    }

    /// In MiB.
    private var freeRoom: Int? {
        let size = try? FileManager.default.attributesOfFileSystem(forPath: journal.folder)[.systemFreeSize]
        return (size as? NSNumber).map { Int(clamping: $0.uint64Value >> 20) }
    }

    private func document(_ report: JournalReport, _ checks: [Check]) -> KeyValuePairs<String, JSON?> {
        [
            "entries": .number(report.entries), "pending": .number(report.open.count),
            "oldestPending": report.open.first.map(\.timestamp.json),
            "unreadable": .list(report.unreadable.map { .text($0.onOneLine()) }),
            "gap": report.gap.map { .text($0 == .restored ? "restored" : "changed") },
            "isFileDamaged": .flag(report.isFileDamaged), "keyAge": keyAge.map { .number($0) },
            "free": freeRoom.map { .number($0) },
            "checks": .list(
                checks.map { check in
                    .object([
                        "subject": .text(check.subject), "isGood": .flag(check.isGood), "words": .text(check.words),
                    ])
                }),
            "isInOrder": .flag(checks.allSatisfy(\.isGood)),
        ]
    }
}

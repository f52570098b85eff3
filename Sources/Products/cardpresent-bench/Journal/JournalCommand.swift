import ArgumentParser
import Bytes
import Console
import FoundationEssentials
import PaymentTerminal
import TerminalJournal
import TerminalMessages

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

/// Which journal.
struct JournalPlace: ParsableArguments {
    @Argument(help: ArgumentHelp("The journal's folder.", valueName: "folder"), completion: .directory)
    var folder: String

    @Option(
        help: ArgumentHelp("The file with the journal's key, 64 hexadecimal digits.", valueName: "file"),
        completion: .file())
    var key: String

    @Option(
        help: ArgumentHelp("The file with the number of the last write. Default: beside the key.", valueName: "file"),
        completion: .file())
    var watermark: String?

    /// Where the till keeps the number of its last write.
    var mark: JournalWatermark { watermark.map { .file(path: $0) } ?? .besideKey }

    /// Whether a file lies in the journal's folder, or is its key or one of those beside it.
    func isOwn(_ path: String) throws -> Bool {
        func place(_ path: String) -> String {
            URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path(percentEncoded: false)
        }
        let (file, folder) = (place(path), place(folder))
        return file.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/") || file.hasPrefix(place(key))
            || watermark.map { file == place($0) } ?? false
    }

    func open() async throws -> JournalReader {
        try await JournalReader(folder: folder, key: JournalKey.file(path: key), watermark: mark)
    }
}

extension JournalEntry {
    /// One line about the entry, with what the host must still receive.
    var line: String {
        let result = response.map(\.outcome.words) ?? (stage == .finished ? "no effect" : "not known yet")
        let state = stage == .finished ? nil : due.map { "pending: \($0.words)" } ?? "in doubt"
        return [
            "\(timestamp)", orderID.text, operation.rawValue, isPayment ? "\(amount)" : nil, result, card?.maskedPAN,
            response?.approvalCode, state,
        ].compactMap(\.self).joined(separator: "  ").onOneLine()
    }
}

extension PaymentResponse.Outcome {
    fileprivate var words: String {
        switch self {
        case .approved: "approved"
        case .partiallyApproved: "approved in part"
        case .declined: "declined"
        case .reversed(let reason): "reversed (\(reason.rawValue))"
        case .storedOffline: "stored"
        case .unknown: "unknown"
        }
    }
}

extension JournalReader {
    /// As ``forEach(latest:isOpen:_:)``; entries that cannot be read are said.
    ///
    /// - Returns: Whether all could be read.
    func tellEach(
        latest limit: Int? = nil, isOpen: Bool = false, _ body: (JournalEntry) throws -> Void
    ) throws -> Bool {
        let unreadable = try forEach(latest: limit, isOpen: isOpen, body)
        if unreadable > 0 {
            printError("\(unreadable) orders cannot be read: cardpresent journal check names them")
        }
        return unreadable == 0
    }
}

extension JournalEntry.Due {
    /// What the host must still be told, or asked.
    var words: String {
        switch self {
        case .confirmation: "the card's last cryptogram"
        case .reversal: "a reversal"
        case .reversalIfOurs: "a reversal, if the host's order is this one"
        case .advice: "an approval by the card"
        case .declineAdvice: "a decline by the card"
        case .authorization: "a stored payment"
        case .inquiry: "an inquiry"
        }
    }
}

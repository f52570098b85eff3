import ArgumentParser
import Console
import FoundationEssentials
import PaymentTerminal
import TerminalJournal

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

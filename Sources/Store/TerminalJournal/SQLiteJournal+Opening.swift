private import Bytes
public import PaymentTerminal
private import SealedStore

/// How an application opens the journal: on the computer's file system.
extension SQLiteJournal {
    /// Opens the journal in `folder`. If the folder does not exist, it is created with an empty
    /// journal.
    ///
    /// - Parameters:
    ///   - keyFile: 64 hexadecimal digits, readable only by its owner (``JournalKey/file(path:)``).
    ///     Keep it separate from the journal.
    public static func open(folder: String, keyFile: String) async throws(JournalError) -> SQLiteJournal {
        try await open(folder: folder, key: JournalKey.file(path: keyFile))
    }

    /// Opens the journal in `folder` with a key from any source. If the folder does not exist, it
    /// is created with an empty journal.
    ///
    /// - Parameters:
    ///   - key: The source of the journal's key.
    ///   - nextSequenceCounter: The sequence counter of a new journal's first transaction, tag
    ///     `9F41`.
    ///   - watermark: Where the journal stores the number of its last write, to detect that it was
    ///     restored from a backup.
    public static func open(
        folder: String, key: some JournalKeySource, nextSequenceCounter: UInt32 = 1,
        watermark: JournalWatermark = .besideKey
    ) async throws(JournalError) -> SQLiteJournal {
        try await open(folder: folder, key: key, nextSequenceCounter: nextSequenceCounter, files: SystemFiles()) {
            name in
            switch watermark {
            case .besideKey: key.watermarkPath(name.hex).map { WatermarkFile(path: $0, journal: name.hex) }
            case .file(let path): WatermarkFile(path: path)
            case .none: nil
            }
        }
    }
}

import Bytes
import CardCapture
import CardCryptography
import Console
import FoundationEssentials
import PaymentTerminal
import TerminalJournal

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The change of a journal's key, in steps that can be interrupted: the new key is on the disk
/// before the journal is sealed with it, and the old one stays there.
struct KeyRotation {
    struct Result {
        let oldKey: String
        /// Whether the database's log has nothing under the old key.
        let isLogClear: Bool
    }

    private let folder, key: String
    private let mark: JournalWatermark
    private var next: String { key + ".new" }

    init(_ place: JournalPlace) {
        (folder, key, mark) = (place.folder, place.key, place.mark)
    }

    func run() async throws -> Result {
        // A first try may have made the key, and may have sealed the journal with it.
        guard try await !isSealed(with: next) else { return try finish(isLogClear: true) }
        guard !FileManager.default.fileExists(atPath: "\(folder)/vault.sqlite") else {
            throw InputError("\(folder) is the vault of a bench, which has the same key: start a new vault")
        }
        let journal = try await SQLiteJournal.open(
            folder: existing(), key: JournalKey.file(path: key), watermark: mark)
        defer { try? journal.close() }
        try makeKey()
        let isLogClear = try await journal.rotate(to: JournalKey.file(path: next))
        return try finish(isLogClear: isLogClear)
    }

    /// The folder of a journal that is there: opening another one would make it.
    private func existing() async throws -> String {
        _ = try await JournalReader(folder: folder, key: JournalKey.file(path: key))
        return folder
    }

    private func isSealed(with key: String) async throws -> Bool {
        guard FileManager.default.fileExists(atPath: key) else { return false }
        do throws(JournalError) {
            _ = try await JournalReader(folder: folder, key: JournalKey.file(path: key), watermark: .none)
            return true
        } catch {
            // Then the key's own file opens it, or says why nothing does.
            return false
        }
    }

    private func makeKey() throws {
        var bytes = SecureRandom.bytes(32)
        defer { wipe(&bytes) }
        // One that an interrupted try has made is as good.
        _ = try OutputFile.create(next, with: bytes.hex + "\n")
    }

    private func finish(isLogClear: Bool) throws(InputError) -> Result {
        let old = try freeName()
        guard unsafe link(key, old) == 0, unsafe rename(next, key) == 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw InputError("\(key) cannot be replaced (\(reason)): the journal is sealed with \(next)")
        }
        return Result(oldKey: old, isLogClear: isLogClear)
    }

    /// For the old key: the day, and a number if there was a change on that day before.
    private func freeName() throws(InputError) -> String {
        let name = "\(key).until-\(Timestamp.now().date)"
        for number in 1...Self.changesInADay {
            let candidate = number == 1 ? name : "\(name).\(number)"
            if !FileManager.default.fileExists(atPath: candidate) { return candidate }
        }
        throw InputError("\(name): too many old keys of this day: move them away")
    }

    private static let changesInADay = 1000
}

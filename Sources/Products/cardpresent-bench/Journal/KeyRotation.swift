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

/// The change of a journal's key, in steps that can be interrupted: the old key and the new one are
/// on the disk under names of their own before the journal is sealed with the new one.
struct KeyRotation {
    struct Result {
        let oldKey: String
        /// Whether the database's log has nothing under the old key.
        let isLogClear: Bool
    }

    /// A key from a file, for a journal whose watermark lies beside another one.
    private struct Source: JournalKeySource {
        let file: String
        let key: String

        func key() async throws -> SecretBytes { try await JournalKey.file(path: file).key() }
        func watermarkPath(_ name: String) -> String? { JournalKey.file(path: key).watermarkPath(name) }
    }

    private let place: JournalPlace
    private var key: String { place.key }
    private var next: String { key + ".new" }

    init(_ place: JournalPlace) { self.place = place }

    func run() async throws -> Result {
        try await refuseOthers()
        // From here on no till and no other change has it.
        let journal = try await open()
        defer { try? journal.close() }
        try await makeNext()
        let old = try keepOld()
        // Also if an interrupted try has done it: only this tells whether the log is clear.
        let isLogClear = try await journal.rotate(to: JournalKey.file(path: next))
        guard unsafe rename(next, key) == 0 else {
            throw InputError("\(key): \(unsafe String(cString: strerror(errno))); the journal is sealed with \(next)")
        }
        flushFolder()
        return Result(oldKey: old, isLogClear: isLogClear)
    }

    /// What is no journal of a till's own, or not as the till left it.
    private func refuseOthers() async throws {
        guard !FileManager.default.fileExists(atPath: "\(place.folder)/vault.sqlite") else {
            throw InputError("\(place.folder) is the vault of a bench, which has the same key: start a new vault")
        }
        let reader: JournalReader
        do throws(JournalError) {
            reader = try await JournalReader(folder: place.folder, key: source(key), watermark: place.mark)
        } catch {
            guard FileManager.default.fileExists(atPath: next) else { throw error }
            reader = try await JournalReader(folder: place.folder, key: source(next), watermark: place.mark)
        }
        if try reader.isCopy() {
            throw InputError("\(place.folder) is a backup: change the key of the till's own journal")
        }
        let report = try reader.check()
        if report.isFileDamaged || report.gap == .restored {
            throw InputError("\(place.folder) is not in order: cardpresent journal check says what is wrong")
        }
    }

    private func source(_ file: String) -> Source { Source(file: file, key: key) }

    /// With the old key; with the new one if an interrupted try has sealed the journal with it.
    private func open() async throws -> SQLiteJournal {
        do throws(JournalError) {
            return try await SQLiteJournal.open(folder: place.folder, key: source(key), watermark: place.mark)
        } catch {
            guard FileManager.default.fileExists(atPath: next) else { throw error }
            return try await SQLiteJournal.open(folder: place.folder, key: source(next), watermark: place.mark)
        }
    }

    private func makeNext() async throws {
        var bytes = SecureRandom.bytes(32)
        defer { wipe(&bytes) }
        // One that an interrupted try has made is as good, and the journal may be sealed with it.
        guard try !OutputFile.create(next, with: bytes.hex + "\n") else { return flushFolder() }
        do {
            _ = try await JournalKey.file(path: next).key()
        } catch {
            throw InputError("\(error); delete it if no journal was sealed with it")
        }
    }

    /// A copy of the old key, under the day; with a number if another key was replaced on that day.
    private func keepOld() throws(InputError) -> String {
        var digits = try SecretInput.bytes(key)
        defer { wipe(&digits) }
        let name = "\(key).until-\(Timestamp.now().date)"
        for number in 1...Self.changesInADay {
            let file = number == 1 ? name : "\(name).\(number)"
            if try OutputFile.create(file, with: digits) {
                flushFolder()
                return file
            }
            var kept = try SecretInput.bytes(file)
            defer { wipe(&kept) }
            if kept == digits { return file }
        }
        throw InputError("\(name): too many old keys of this day: move them away")
    }

    private static let changesInADay = 1000

    /// The names of the keys are durable only with their folder.
    private func flushFolder() {
        let folder = URL(filePath: key).deletingLastPathComponent().path(percentEncoded: false)
        let descriptor = unsafe Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

import Bytes
import CardCryptography
import FoundationEssentials
private import Synchronization

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// Where a journal stores the number of its last write outside its folder, to detect that the
/// folder was replaced by an older copy.
public enum JournalWatermark: Sendable {
    /// Next to the key: `KEYFILE.NAME.mark` for a key from a file, none for other sources.
    case besideKey
    /// In this file, which must not be restored together with the journal.
    case file(path: String)
    case none
}

/// The storage of a watermark.
package protocol WatermarkStore: Sendable {
    /// Nil if there is no watermark.
    func read() -> [UInt8]?
    /// Whether there is a watermark of another journal, besides the one that ``read()`` returns.
    func hasOthers() -> Bool
    /// Need not be durable at once: after a power cut the mark may be older.
    func write(_ bytes: [UInt8])
    /// Makes what was written durable.
    func flush()
}

/// A watermark in a separate file, readable only by its owner.
package struct WatermarkFile: WatermarkStore {
    let path: String
    /// The name of its journal, which tells the marks beside one key apart; nil for a file of its
    /// own.
    var journal: String?

    /// A mark has 40 bytes.
    private static let maximumSize = 4096

    package func hasOthers() -> Bool {
        let url = URL(filePath: path)
        let own = url.lastPathComponent
        guard let journal, let name = own.firstRange(of: journal) else { return false }
        let folder = url.deletingLastPathComponent().path(percentEncoded: false)
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.contains { file in
            file != own && file.count == own.count && file.hasPrefix(own[..<name.lowerBound])
                && file.hasSuffix(own[name.upperBound...])
        }
    }

    package func read() -> [UInt8]? {
        try? PrivateFile.read(path, maximumSize: Self.maximumSize)
    }

    package func write(_ bytes: [UInt8]) {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        guard (try? PrivateFile.check(file)) != nil else { return }
        _ = unsafe bytes.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) }
    }

    /// The file, and its name in the folder.
    package func flush() {
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        for path in [path, folder] {
            let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { continue }
            fsync(file)
            close(file)
        }
    }
}

/// The highest known number of a journal's writes.
final class Watermark: Sendable {
    private let store: any WatermarkStore
    private let key: SecretBytes
    private let name: [UInt8]
    private let highest = Mutex<UInt64?>(nil)

    /// - Parameters:
    ///   - key: Authenticates the mark of this journal.
    ///   - name: The name of the journal.
    init(_ store: any WatermarkStore, key: SecretBytes, name: [UInt8]) {
        self.store = store
        self.key = key
        self.name = name
    }

    /// Whether the mark of another journal is there: in the same place, or beside the same key.
    var hasPredecessor: Bool { store.hasOthers() || store.read() != nil && read() == nil }

    /// Nil if there is no mark, or it belongs to another journal.
    func read() -> UInt64? {
        guard let bytes = store.read(), bytes.count == 40,
            HMACSHA256.isValid(Array(bytes[8...]), for: coded(Array(bytes[..<8])), key: key)
        else {
            return nil
        }
        let written = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        highest.withLock { $0 = max($0 ?? 0, written) }
        return written
    }

    func raise(to written: UInt64) {
        highest.withLock { highest in
            // The first mark is written at once, even for an empty journal, so that its loss can be
            // detected.
            guard highest.map({ written > $0 }) ?? true else { return }
            highest = written
            let number = (0..<8).reversed().map { UInt8(truncatingIfNeeded: written >> ($0 * 8)) }
            store.write(number + HMACSHA256.authenticate(coded(number), key: key))
        }
    }

    /// Makes the mark durable. A journal that begins, or begins again after a gap, takes numbers
    /// that no other begins with: it must know them after a power cut, too.
    func flush() { store.flush() }

    private func coded(_ number: [UInt8]) -> [UInt8] { Array("watermark".utf8) + name + number }
}

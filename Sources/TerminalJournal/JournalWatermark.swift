import Bytes
import CardCryptography
import FoundationEssentials
private import Synchronization

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// Where a journal notes, apart from its folder, how often it was written: so that it notices when an older copy of the folder is put
/// in its place.
public enum JournalWatermark: Sendable {
    /// Beside the key: `KEYFILE.NAME.mark` for a key from a file, none for other sources.
    case besideKey
    /// In this file, which is not restored together with the journal.
    case file(path: String)
    case none
}

/// The bytes of a watermark, wherever they are.
package protocol WatermarkStore: Sendable {
    /// Nil if there are none.
    func read() -> [UInt8]?
    /// Need not wait for the disk: what a power cut takes back makes the mark older, which is no harm.
    func write(_ bytes: [UInt8])
}

/// A watermark in a file of its own, for its owner only.
package struct WatermarkFile: WatermarkStore {
    let path: String

    package func read() -> [UInt8]? {
        FileManager.default.contents(atPath: path).map { Array($0) }
    }

    package func write(_ bytes: [UInt8]) {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        _ = unsafe bytes.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) }
    }
}

/// The highest number of writes that a journal has been seen with.
final class Watermark: Sendable {
    private let store: any WatermarkStore
    private let key: SecretBytes
    private let name: [UInt8]
    private let highest = Mutex<UInt64?>(nil)

    /// - Parameters:
    ///   - key: By which the mark is known to be this journal's.
    ///   - name: Of the journal.
    init(_ store: any WatermarkStore, key: SecretBytes, name: [UInt8]) {
        self.store = store
        self.key = key
        self.name = name
    }

    /// Nil if there is no mark, or it is not this journal's.
    func read() -> UInt64? {
        guard let bytes = store.read(), bytes.count == 40, HMACSHA256.isValid(Array(bytes[8...]), for: coded(Array(bytes[..<8])), key: key)
        else {
            return nil
        }
        let written = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        highest.withLock { $0 = max($0 ?? 0, written) }
        return written
    }

    func raise(to written: UInt64) {
        highest.withLock { highest in
            // The first mark is written at once, be it for an empty journal: that it was there is how its loss is noticed.
            guard highest.map({ written > $0 }) ?? true else { return }
            highest = written
            let number = (0..<8).reversed().map { UInt8(truncatingIfNeeded: written >> ($0 * 8)) }
            store.write(number + HMACSHA256.authenticate(coded(number), key: key))
        }
    }

    private func coded(_ number: [UInt8]) -> [UInt8] { Array("watermark".utf8) + name + number }
}

public import Bytes
import FoundationEssentials

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The source of a journal's key.
public protocol JournalKeySource: Sendable {
    /// 32 random bytes; always the same key.
    func key() async throws -> SecretBytes

    /// The path of the watermark of the journal `name` (``JournalWatermark/besideKey``); nil (the
    /// default) for none.
    func watermarkPath(_ name: String) -> String?
}

extension JournalKeySource {
    public func watermarkPath(_ name: String) -> String? { nil }
}

/// The key of a journal, from a file, the environment or a key store.
///
/// Keep it separate from the journal: both together reveal the stored data.
public enum JournalKey: JournalKeySource {
    case bytes(SecretBytes)
    /// A file with 64 hexadecimal digits, readable only by its owner.
    case file(path: String)
    /// A variable with 64 hexadecimal digits, which is removed from the environment when it is
    /// read. It is used only if the integrator chooses it: other processes of the user can read the
    /// initial environment of a process. Read it before other threads read or change the
    /// environment, because POSIX has no lock for it.
    case environment(name: String)
    /// A key management service, a security module or a person.
    case callback(@Sendable () async throws -> SecretBytes)

    public func watermarkPath(_ name: String) -> String? {
        guard case .file(let path) = self else { return nil }
        return "\(path).\(name).mark"
    }

    public func key() async throws -> SecretBytes {
        switch self {
        case .bytes(let key): return key
        case .callback(let ask): return try await ask()
        case .file(let path):
            var digits: [UInt8]
            do throws(PrivateFile.Failure) {
                digits = try PrivateFile.read(path, maximumSize: Self.maximumSize)
            } catch {
                throw JournalKeyError("the journal's key: \(error.text(path))")
            }
            return try Self.parse(&digits, "the key file \(path)")
        case .environment(let name):
            guard let text = ProcessInfo.processInfo.environment[name] else {
                throw JournalKeyError("the variable \(name) is not set: give it the key, 64 hexadecimal digits")
            }
            defer { unsafe unsetenv(name) }
            var digits = Array(text.utf8)
            return try Self.parse(&digits, "the variable \(name)")
        }
    }

    /// Of a key's file, in bytes: the digits, and white space behind them.
    private static let maximumSize = 4096

    /// - Parameter digits: Wiped.
    private static func parse(_ digits: inout [UInt8], _ place: String) throws -> SecretBytes {
        defer { wipe(&digits) }
        while let last = digits.last, last == 0x0A || last == 0x0D || last == 0x20 { digits.removeLast() }
        guard digits.count == 64, var key = try? [UInt8](hex: String(decoding: digits, as: UTF8.self)) else {
            throw JournalKeyError("\(place) contains no key: give 64 hexadecimal digits")
        }
        return SecretBytes(wiping: &key)
    }
}

/// Why there is no key.
public struct JournalKeyError: Error, Sendable, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

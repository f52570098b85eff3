internal import Bytes
internal import CardCryptography

/// A file of a back office, such as a configuration or an inventory, that is asked for by the
/// version that the caller has.
public struct VersionedFile: Sendable, Equatable, Codable {
    /// Compared as text, and only whether it is the same: back offices number as they like.
    public var version: String
    /// Where the file is.
    public var url: String
    /// Of the file's content, 32 hexadecimal digits. It finds broken transfers, and proves no
    /// origin: MD5 is broken.
    public var md5: String

    public init(version: String, url: String, md5: String) {
        self.version = version
        self.url = url
        self.md5 = md5
    }

    /// Nil if the caller has this version. `0` stands for no version, and is never current.
    public func ifNewer(than current: String) -> VersionedFile? {
        current == version && current != "0" ? nil : self
    }

    /// Whether the content came as it was sent: its MD5 is ``md5``, in either case.
    public func isIntact(_ content: [UInt8]) -> Bool { MD5.hash(content).hex.lowercased() == md5.lowercased() }
}

import Bytes
private import Foundation

/// Why a key was not taken from its file.
public enum SecretFileError: Error, Sendable, Equatable {
    case notReadable(path: String)
    case empty(path: String)
    /// Group or others have access.
    case readableByOthers(path: String)
}

extension SecretFileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notReadable(let path): "the key file \(path) cannot be read: check its path and its owner"
        case .empty(let path): "the key file \(path) is empty: write the gateway's key into it"
        case .readableByOthers(let path): "the key file \(path) can be read by others: chmod 600 \(path)"
        }
    }
}

/// A key of a gateway in a file of its own.
enum SecretFile {
    /// The contents without white space around them.
    static func read(_ path: String) throws(SecretFileError) -> SecretBytes {
        guard let mode = (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int,
            let contents = FileManager.default.contents(atPath: path)
        else { throw .notReadable(path: path) }
        guard mode & 0o077 == 0 else { throw .readableByOthers(path: path) }
        var bytes = [UInt8](contents)
        defer { wipe(&bytes) }
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        let key = bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        guard !key.isEmpty else { throw .empty(path: path) }
        return SecretBytes(key)
    }
}

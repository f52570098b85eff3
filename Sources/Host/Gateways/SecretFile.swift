import Bytes

/// Why a key was not taken from its file.
public enum SecretFileError: Error, Sendable, Equatable {
    /// The file does not exist, or this user may not read it.
    case notReadable(path: String)
    /// The file holds nothing but white space.
    case empty(path: String)
    /// More than 4,096 bytes, or no plain file.
    case tooLarge(path: String)
    /// Group or others have access.
    case readableByOthers(path: String)
    /// It belongs to another user, who may change it.
    case ofAnotherUser(path: String)
    /// A symbolic link, which may lead to another user's file.
    case link(path: String)
}

extension SecretFileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notReadable(let path): "the key file \(path) cannot be read: check its path and its owner"
        case .empty(let path): "the key file \(path) is empty: write the gateway's key into it"
        case .tooLarge(let path):
            "the key file \(path) contains more than a key: give a file with the gateway's key alone"
        case .readableByOthers(let path): "the key file \(path) can be read by others: chmod 600 \(path)"
        case .ofAnotherUser(let path):
            "the key file \(path) belongs to another user: make a copy of your own, with mode 600"
        case .link(let path): "the key file \(path) is a symbolic link: give the file itself"
        }
    }
}

/// A key of a gateway in a file of its own.
enum SecretFile {
    private static let maximumSize = 4096

    /// The contents without white space around them.
    static func read(_ path: String) throws(SecretFileError) -> SecretBytes {
        var bytes: [UInt8]
        do throws(PrivateFile.Failure) {
            bytes = try PrivateFile.read(path, maximumSize: maximumSize)
        } catch {
            switch error {
            case .notFound, .notReadable: throw .notReadable(path: path)
            case .openToOthers: throw .readableByOthers(path: path)
            case .notAFile, .tooLarge: throw .tooLarge(path: path)
            case .ofAnotherUser: throw .ofAnotherUser(path: path)
            case .link: throw .link(path: path)
            }
        }
        defer { wipe(&bytes) }
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        let key = bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        guard !key.isEmpty else { throw .empty(path: path) }
        return SecretBytes(key)
    }
}

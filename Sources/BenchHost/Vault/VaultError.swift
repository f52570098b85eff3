/// Why the vault cannot be opened, or cannot do what is asked of it. One line each, with the cure.
public enum VaultError: Error, Sendable, Equatable {
    /// The vault key has `count` bytes where 32 are due.
    case keyLength(Int)
    case inUse(folder: String)
    case otherKey(folder: String)
    /// The folder is missing and cannot be made, or nothing can be written in it.
    case unwritable(folder: String, reason: String)
    case full
    /// SQLite failed with this extended result code.
    case database(code: Int)
    /// A stored record does not authenticate: it was changed, or moved to another row.
    case damaged
}

extension VaultError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .keyLength(let count): "the vault key has \(count) bytes: give 32"
        case .inUse(let folder): "vault \(folder) is in use by another process: stop that one, or give another folder"
        case .otherKey(let folder): "vault \(folder) was made with another key: give that key, or another folder"
        case .unwritable(let folder, let reason): "vault \(folder) cannot be written (\(reason)): give a folder of your own"
        case .full: "the disk of the vault is full: make room; nothing of the operation was stored"
        case .database(let code): "the database of the vault failed (SQLite result code \(code)); nothing of the operation was stored"
        case .damaged: "a record of the vault was changed from outside: restore the vault from a backup"
        }
    }
}

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// Why a store cannot be opened, or an operation failed. The texts have one line each, with the
/// cure. A store is identified by its kind and its folder.
public enum StoreError: Error, Sendable, Equatable {
    /// The key has `count` bytes instead of 32.
    case keyLength(Int)
    case inUse(store: String)
    /// There is no store in the folder.
    case missing(store: String)
    /// The folder of a copy exists.
    case exists(store: String)
    /// SQLite cannot read the file, or a part of it.
    case unreadable(store: String)
    /// Whoever opened the store last was ended before it could be read again: its next writer puts
    /// it in order.
    case interrupted(store: String)
    case otherKey(store: String)
    /// The folder is missing and cannot be created, or is not writable.
    case unwritable(store: String, because: Obstacle)
    case full(store: String)
    /// Other users may read or write a folder or a file of the store.
    case exposed(store: String, path: String, cure: String)
    /// A folder or a file of the store belongs to another user, who may change it.
    case foreign(store: String, path: String)
    /// A folder or a file of the store is a symbolic link, or no plain file.
    case link(store: String, path: String)
    /// SQLite failed with this extended result code.
    case database(store: String, code: Int)
    /// A later release created the store.
    case newer(store: String)
    /// A stored record does not authenticate: it was changed, or moved to another row.
    case damaged

    /// Why the store is not writable.
    public enum Obstacle: Sendable, Equatable {
        /// A parent of the store's folder is missing and cannot be created.
        case folder
        /// SQLite has no access to the database.
        case access
        /// The system refused with this `errno`.
        case system(Int32)
    }
}

extension StoreError.Obstacle: CustomStringConvertible {
    public var description: String {
        switch self {
        case .folder: "the folder cannot be made"
        case .access: "no access"
        case .system(let code): unsafe String(cString: strerror(code))
        }
    }
}

extension StoreError {
    public var isFull: Bool {
        if case .full = self { true } else { false }
    }
}

extension StoreError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .keyLength(let count): "the key has \(count) bytes: give 32"
        case .inUse(let store):
            "\(store) is in use, by another process or already by this one: close it there, or give another folder"
        case .missing(let store): "\(store) does not exist: check the folder"
        case .exists(let store): "the folder of \(store) exists: give another one"
        case .unreadable(let store): "the file of \(store) is damaged: end the till, and put back a backup"
        case .interrupted(let store): "\(store) was interrupted while it was opened: start the till with it once"
        case .otherKey(let store): "\(store) was made with another key: give that key, or another folder"
        case .unwritable(let store, let obstacle): "\(store) cannot be written (\(obstacle)): give a folder of your own"
        case .full(let store): "the disk of \(store) is full: free some space; nothing was stored"
        case .database(let store, let code):
            "the database of \(store) failed (SQLite result code \(code)); nothing of the operation was stored"
        case .exposed(let store, let path, let cure): "\(store): other users have access to \(path): \(cure)"
        case .foreign(let store, let path): "\(store): \(path) belongs to another user: give a folder of your own"
        case .link(let store, let path): "\(store): \(path) is a link, or no plain file: give the folder itself"
        case .newer(let store): "\(store) was made by a later release: install that release"
        case .damaged: "a stored record was changed from outside and cannot be read"
        }
    }
}

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// Why a store cannot be opened, or cannot do what is asked of it. One line each, with the cure. A store is named by its kind and its folder.
public enum StoreError: Error, Sendable, Equatable {
    /// The key has `count` bytes where 32 are due.
    case keyLength(Int)
    case inUse(store: String)
    case otherKey(store: String)
    /// The folder is missing and cannot be made, or nothing can be written in it.
    case unwritable(store: String, because: Obstacle)
    case full(store: String)
    /// A folder or a file of the store may be read or written by other users.
    case exposed(store: String, path: String, cure: String)
    /// SQLite failed with this extended result code.
    case database(store: String, code: Int)
    /// The store was made by a later release.
    case newer(store: String)
    /// A stored record does not authenticate: it was changed, or moved to another row.
    case damaged

    /// Why nothing can be written.
    public enum Obstacle: Sendable, Equatable {
        /// A folder above the store's is missing and cannot be made.
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
        case .inUse(let store): "\(store) is in use by another process: stop that process, or give another folder"
        case .otherKey(let store): "\(store) was made with another key: give that key, or another folder"
        case .unwritable(let store, let obstacle): "\(store) cannot be written (\(obstacle)): give a folder of your own"
        case .full(let store): "the disk of \(store) is full: free some space; nothing was stored"
        case .database(let store, let code):
            "the database of \(store) failed (SQLite result code \(code)); nothing of the operation was stored"
        case .exposed(let store, let path, let cure): "\(store): other users have access to \(path): \(cure)"
        case .newer(let store): "\(store) was made by a later release: install that release"
        case .damaged: "a stored record was changed from outside and cannot be read"
        }
    }
}

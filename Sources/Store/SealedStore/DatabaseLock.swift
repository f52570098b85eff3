private import Synchronization

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The claim of one writer on a database: a lock on the file itself, whatever path leads to it.
/// The system releases it when the process ends.
///
/// It is a lock of `flock(2)`, which SQLite's own locks do not touch: other programs may read the
/// database. SQLite's locks are the process's, and end when the process closes any descriptor of
/// the file (fcntl(2), "Advisory record locking"). So this process must not open the file twice: a
/// table of the open ones is consulted first, and the descriptor is closed after SQLite's.
final class DatabaseLock: StoreLock {
    private struct File: Hashable {
        let device: dev_t
        let number: ino_t
    }

    private static let claimed = Mutex<Set<File>>([])

    private let file: File
    /// Nil once it is released.
    private let descriptor: Mutex<CInt?>

    /// - Parameter store: The store's name in errors.
    init(path: String, store: String) throws(StoreError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw .unwritable(store: store, because: .system(errno)) }
        let file = File(device: status.st_dev, number: status.st_ino)
        guard Self.claimed.withLock({ $0.insert(file).inserted }) else { throw .inUse(store: store) }
        let opened = unsafe open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else {
            let code = errno
            Self.claimed.withLock { _ = $0.remove(file) }
            throw .unwritable(store: store, because: .system(code))
        }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            Self.giveUp(file, closing: opened)
            throw .inUse(store: store)
        }
        self.file = file
        descriptor = Mutex(opened)
    }

    func release() {
        let opened = descriptor.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
        guard let opened else { return }
        // A child process that is being started has the descriptor too, until it runs its program.
        flock(opened, LOCK_UN)
        Self.giveUp(file, closing: opened)
    }

    /// In one step: a file that was deleted gives its number to the next one when it is closed.
    private static func giveUp(_ file: File, closing descriptor: CInt) {
        claimed.withLock { claimed in
            close(descriptor)
            claimed.remove(file)
        }
    }

    deinit { release() }
}

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The claim of one process on a store: an exclusive lock on a file in it, which the system
/// releases when the process ends.
final class FolderLock: StoreLock {
    private let descriptor: CInt

    /// - Parameter store: The store's name in errors.
    init(path: String, store: String) throws(StoreError) {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unwritable(store: store, because: .system(errno)) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .inUse(store: store)
        }
    }

    func release() { flock(descriptor, LOCK_UN) }

    deinit { close(descriptor) }
}

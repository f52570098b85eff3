#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The claim of one process on a vault's folder: an exclusive lock on a file in it, which the system drops with the process.
final class VaultLock: Sendable {
    private let descriptor: CInt

    init(folder: String) throws(VaultError) {
        descriptor = unsafe open(folder + "/vault.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unwritable(folder: folder, reason: unsafe String(cString: strerror(errno))) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .inUse(folder: folder)
        }
    }

    deinit { close(descriptor) }
}

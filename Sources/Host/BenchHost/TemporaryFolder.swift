private import Foundation

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// A folder in the system's folder for temporary files, which is deleted with the object.
///
/// A process that ends by a signal, or keeps the object until its end, deletes nothing. So each
/// folder is locked as long as its object lives, and a new one first deletes the same user's
/// folders without a lock.
final class TemporaryFolder: Sendable {
    let path: String
    private let descriptor: Int32

    private static let prefix = "cardpresent-bench-"

    /// Nil if the folder cannot be created.
    init?() {
        let all = FileManager.default.temporaryDirectory.path(percentEncoded: false)
        Self.deleteAbandoned(in: all)
        let path = "\(all)/\(Self.prefix)\(UUID().uuidString)"
        guard unsafe mkdir(path, 0o700) == 0 else { return nil }
        self.path = path
        descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
        if descriptor >= 0 { close(descriptor) }
    }

    private static func deleteAbandoned(in all: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: all)) ?? [] where name.hasPrefix(prefix) {
            let path = "\(all)/\(name)"
            let opened = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard opened >= 0 else { continue }
            defer { close(opened) }
            var found = stat()
            guard unsafe fstat(opened, &found) == 0, found.st_uid == geteuid(), isOld(found),
                flock(opened, LOCK_EX | LOCK_NB) == 0
            else {
                continue
            }
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// One that is younger than a minute may be about to be locked.
    private static func isOld(_ folder: stat) -> Bool { time(nil) - folder.st_mtim.tv_sec > 60 }
}

private import Bytes
import FoundationEssentials

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The file system operations of a store outside its database: folder, modes and lock.
///
/// SQLite uses its own VFS for its files. The store's own operations use this protocol, so that
/// tests can replace both.
package protocol StoreFiles: Sendable {
    /// Creates the folder, accessible only by its owner, and missing parents.
    ///
    /// - Throws: ``StoreError/exposed(store:path:cure:)`` if other users have access to a folder
    ///   that exists, ``StoreError/unwritable(store:because:)`` if it cannot be created.
    /// - Parameter store: The store's name in errors.
    func makeFolder(_ path: String, store: String) throws(StoreError)

    /// Creates an empty database file that only its owner can access, and makes its name durable.
    /// SQLite gives its log and its shared memory the mode of the database.
    ///
    /// - Throws: As ``makeFolder(_:store:)``.
    func makeDatabase(_ path: String, store: String) throws(StoreError)

    /// Makes the database and its log readable as the disk has them, and not as the system has them
    /// in memory. The two differ after a failed flush: the system then counts what is not on the
    /// disk as written. Called before the database is opened.
    func readFromDisk(_ database: String)

    /// Claims the database for one writer, until the claim is released or the process ends. Other
    /// programs may still read it.
    ///
    /// - Throws: ``StoreError/inUse(store:)`` if this process or another has claimed it.
    func lock(_ database: String, store: String) throws(StoreError) -> any StoreLock
}

/// The claim of one writer on a store.
package protocol StoreLock: Sendable {
    func release()
}

/// The file system of the computer.
package struct SystemFiles: StoreFiles {
    package init() {}

    package func makeFolder(_ path: String, store: String) throws(StoreError) {
        // Private from its creation: a concurrent process would refuse a folder that others can
        // access.
        let parent = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        do {
            try FileManager.default.createDirectory(
                atPath: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unwritable(store: store, because: .folder)
        }
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw .unwritable(store: store, because: .system(errno))
        }
        do throws(PrivateFile.Failure) {
            try PrivateFolder.check(path)
        } catch {
            throw StoreError(error, path, cure: "chmod 700 \(path)", store: store)
        }
    }

    package func makeDatabase(_ path: String, store: String) throws(StoreError) {
        for file in [path, "\(path)-wal", "\(path)-shm"] { try tighten(file, store) }
        let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            if errno == EEXIST { return }
            throw .unwritable(store: store, because: .system(errno))
        }
        close(file)
        let folder = unsafe open(path[..<(path.lastIndex(of: "/") ?? path.startIndex)] + "/.", O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    /// Linux marks pages as clean when their flush fails, and does not try again (fsync(2), EIO).
    /// `POSIX_FADV_DONTNEED` drops clean pages (posix_fadvise(2)); the others are flushed first.
    ///
    /// Nothing is dropped while another program has the database open: it shares an index of the
    /// log as it was in memory. SQLite's lock bytes exclude it meanwhile (Database File Format,
    /// 1.4, The Lock-Byte Page). Such locks are the process's, so this one must not have the
    /// database open.
    package func readFromDisk(_ database: String) {
        let descriptor = unsafe open(database, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var lockBytes = flock()
        lockBytes.l_type = Int16(truncatingIfNeeded: F_WRLCK)
        lockBytes.l_whence = Int16(truncatingIfNeeded: SEEK_SET)
        lockBytes.l_start = 0x4000_0000
        lockBytes.l_len = 512
        guard unsafe fcntl(descriptor, F_SETLK, &lockBytes) == 0 else { return }
        dropMemory(of: descriptor)
        for file in ["\(database)-wal", "\(database)-journal"] {
            let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            dropMemory(of: descriptor)
            close(descriptor)
        }
    }

    private func dropMemory(of descriptor: CInt) {
        fsync(descriptor)
        posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    }

    package func lock(_ database: String, store: String) throws(StoreError) -> any StoreLock {
        try DatabaseLock(path: database, store: store)
    }

    /// Refuses a database that is missing, or that is not this user's own. Root is refused, too:
    /// the files that SQLite makes beside it would be root's.
    func look(at database: String, in folder: String, store: String) throws(StoreError) {
        do throws(PrivateFile.Failure) {
            try PrivateFolder.check(folder)
            try PrivateFile.look(at: database)
        } catch .notFound {
            throw .missing(store: store)
        } catch {
            throw StoreError(error, folder, cure: "chmod -R go= \(folder)", store: store)
        }
    }

    /// Creates a folder that does not exist, accessible only by its owner, and missing parents.
    func makeNewFolder(_ path: String, store: String) throws(StoreError) {
        var status = stat()
        guard unsafe lstat(path, &status) != 0 else { throw .exists(store: store) }
        let parent = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        guard (try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)) != nil
        else { throw .unwritable(store: store, because: .folder) }
        // Of two who make it at once one is told that it exists.
        guard unsafe mkdir(path, 0o700) == 0 else {
            throw errno == EEXIST ? .exists(store: store) : .unwritable(store: store, because: .system(errno))
        }
    }

    /// Gives a whole file its name, and makes it durable with its folder.
    func publish(_ part: String, as path: String, store: String) throws(StoreError) {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)] + "/.")
        guard Self.flush(part), unsafe rename(part, path) == 0, Self.flush(folder), Self.flush(folder + "/..") else {
            throw .unwritable(store: store, because: .system(errno))
        }
    }

    private static func flush(_ path: String) -> Bool {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return fsync(file) == 0
    }

    /// Removes access of other users that an earlier release granted. The mode of the folder has
    /// already denied them access.
    ///
    /// Looked at without opening it: when a process closes a descriptor of a database, it loses
    /// SQLite's locks on it (fcntl(2), "Advisory record locking"), and this one may have it open
    /// already. A file that is open to others is none that a process of this release has open.
    private func tighten(_ path: String, _ store: String) throws(StoreError) {
        do throws(PrivateFile.Failure) {
            try PrivateFile.look(at: path)
        } catch .notFound {
            return
        } catch .openToOthers {
            try makePrivate(path, store)
        } catch {
            throw StoreError(error, path, cure: "chmod 600 \(path)", store: store)
        }
    }

    /// Changes the file that it has looked at, whatever the name stands for by then.
    private func makePrivate(_ path: String, _ store: String) throws(StoreError) {
        let file = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw .unwritable(store: store, because: .system(errno)) }
        defer { close(file) }
        do throws(PrivateFile.Failure) {
            try PrivateFile.check(file)
        } catch .openToOthers where fchmod(file, 0o600) == 0 {
            return
        } catch {
            throw StoreError(error, path, cure: "chmod 600 \(path)", store: store)
        }
    }
}

extension StoreError {
    fileprivate init(_ failure: PrivateFile.Failure, _ path: String, cure: String, store: String) {
        switch failure {
        case .openToOthers: self = .exposed(store: store, path: path, cure: cure)
        case .ofAnotherUser: self = .foreign(store: store, path: path)
        case .link, .notAFile: self = .link(store: store, path: path)
        case .notReadable(let code): self = .unwritable(store: store, because: .system(code))
        case .notFound, .tooLarge: self = .unwritable(store: store, because: .folder)
        }
    }
}

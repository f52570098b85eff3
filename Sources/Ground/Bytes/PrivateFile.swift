#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// A file with a secret, which only this user may have access to.
///
/// What is looked at is what is read: a name may stand for another file a moment later.
package enum PrivateFile {
    package enum Failure: Error, Sendable, Equatable {
        case notFound
        /// The system refused with this `errno`.
        case notReadable(CInt)
        /// The name is that of a symbolic link, which may lead to anybody's file.
        case link
        /// A folder, a device or a pipe.
        case notAFile
        /// Whoever owns it may change it at any time.
        case ofAnotherUser
        /// Group or others have access.
        case openToOthers
        /// In bytes.
        case tooLarge(maximum: Int)
    }

    /// The whole content of the file at `path`; the caller wipes it.
    ///
    /// - Parameter maximumSize: In bytes.
    package static func read(_ path: String, maximumSize: Int) throws(Failure) -> [UInt8] {
        // Without O_NONBLOCK a pipe would wait for its other end.
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR: throw .notFound
            case ELOOP: throw .link
            default: throw .notReadable(errno)
            }
        }
        defer { close(descriptor) }
        let status = try status(of: descriptor)
        guard status.st_size <= maximumSize else { throw .tooLarge(maximum: maximumSize) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(maximumSize + 1)
        while bytes.count <= maximumSize {
            let room = maximumSize + 1 - bytes.count
            var got = 0
            var piece = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, initialized in
                repeat { got = unsafe systemRead(descriptor, buffer.baseAddress, room) } while got < 0 && errno == EINTR
                initialized = max(0, got)
            }
            bytes += piece
            wipe(&piece)
            if got == 0 { return bytes }
            guard got > 0 else {
                wipe(&bytes)
                throw .notReadable(errno)
            }
        }
        wipe(&bytes)
        throw .tooLarge(maximum: maximumSize)
    }

    /// Whether the open file is one that only this user has access to.
    package static func check(_ descriptor: CInt) throws(Failure) { _ = try status(of: descriptor) }

    /// The same of a file in a folder of this user's own, without opening it.
    package static func look(at path: String) throws(Failure) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { throw errno == ENOENT ? .notFound : .notReadable(errno) }
        guard status.st_mode & S_IFMT != S_IFLNK else { throw .link }
        try check(status)
    }

    private static func status(of descriptor: CInt) throws(Failure) -> stat {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .notReadable(errno) }
        try check(status)
        return status
    }

    private static func check(_ status: stat) throws(Failure) {
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        guard status.st_uid == geteuid() else { throw .ofAnotherUser }
        guard status.st_mode & 0o077 == 0 else { throw .openToOthers }
    }
}

/// The system's call, whose name a method hides.
private func systemRead(_ descriptor: CInt, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, bytes, count)
}

extension PrivateFile.Failure {
    /// The reason and the cure, for a message that does not name the file otherwise.
    package func text(_ path: String) -> String {
        switch self {
        case .notFound: "\(path) does not exist: check the path"
        case .notReadable(let code):
            unsafe "\(path) cannot be read (\(String(cString: strerror(code)))): check its permissions"
        case .link: "\(path) is a symbolic link: give the file itself"
        case .notAFile: "\(path) is not a file: give the path of a file"
        case .ofAnotherUser: "\(path) belongs to another user: make a copy of your own, with mode 600"
        case .openToOthers: "other users have access to \(path): chmod 600 \(path)"
        case .tooLarge(let maximum): "\(path) is larger than \(maximum) bytes: give the path of another file"
        }
    }
}

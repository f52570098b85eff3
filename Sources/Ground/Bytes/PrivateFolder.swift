#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// A folder of files with secrets, which only this user may have access to: nobody else can then
/// put a link or another file in the place of one of them.
package enum PrivateFolder {
    /// - Throws: ``PrivateFile/Failure/notAFile`` for anything but a folder.
    package static func check(_ path: String) throws(PrivateFile.Failure) {
        // With a slash at its end, the name of a link stands for the folder that it leads to.
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        let descriptor = unsafe open(String(path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else {
            let code = errno
            var status = stat()
            guard unsafe lstat(String(path), &status) == 0 else {
                throw code == ENOENT ? .notFound : .notReadable(code)
            }
            switch status.st_mode & S_IFMT {
            case S_IFLNK: throw .link
            case S_IFDIR: throw status.st_uid == geteuid() ? .notReadable(code) : .ofAnotherUser
            default: throw .notAFile
            }
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .notReadable(errno) }
        guard status.st_uid == geteuid() else { throw .ofAnotherUser }
        guard status.st_mode & 0o077 == 0 else { throw .openToOthers }
    }
}

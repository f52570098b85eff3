#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// What is at the path of an output.
enum OutputPlace {
    /// Nothing.
    case free
    /// A regular file, whose name may be given to another.
    case file
    /// A device, a pipe or a socket, also at the end of a link, as `/dev/stdout` is one. What is
    /// written goes to it, and its name stays.
    case stream

    /// - Throws: For a folder; and for a link to a file or to nothing, whose owner would choose
    ///   what is overwritten.
    init(_ path: String) throws(InputError) {
        var (own, reached) = (stat(), stat())
        guard unsafe lstat(path, &own) == 0 else {
            // A folder that is missing on the way is told by what creates the file.
            self = .free
            return
        }
        let isReached = unsafe stat(path, &reached) == 0
        let kind = isReached ? reached.st_mode & S_IFMT : S_IFLNK
        switch kind {
        case S_IFCHR, S_IFIFO, S_IFSOCK, S_IFBLK: self = .stream
        case S_IFDIR: throw InputError("\(path): a folder: give the path of a file")
        default:
            guard own.st_mode & S_IFMT == S_IFREG else {
                throw InputError("\(path): a symbolic link: give the file itself")
            }
            self = .file
        }
    }
}

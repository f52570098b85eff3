#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// What the system says of a file, a link followed.
///
/// Foundation's attributes have other number types in a process without the whole of Foundation,
/// where a cast to `Int` fails.
package struct FileStatus: Sendable {
    /// Neither a folder nor a device.
    package let isRegular: Bool
    /// In bytes.
    package let size: UInt64

    /// Nil if the file does not exist, or may not be looked at.
    package init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        isRegular = status.st_mode & S_IFMT == S_IFREG
        size = UInt64(clamping: status.st_size)
    }
}

private import TLV

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// Reads files and standard input up to a maximum size, with errors that name them.
public enum InputFile {
    /// The maximum size in bytes: far more than any log of a transaction.
    public static let maximumSize = 16 << 20

    /// The name of the file at `path` in messages and reports, on one line and without card
    /// numbers.
    public static func name(_ path: String) -> String { path == "-" ? "standard input" : Masking.text(path) }

    /// The text of the file at `path`, or of standard input for `-`.
    public static func text(_ path: String) throws(InputError) -> String {
        guard let text = String(validating: try bytes(path), as: UTF8.self) else {
            throw InputError("\(name(path)): not a text in UTF-8")
        }
        return text
    }

    /// The bytes of the file at `path`, or of standard input for `-`.
    ///
    /// - Parameter maximumSize: The maximum size in bytes.
    public static func bytes(_ path: String, maximumSize: Int = maximumSize) throws(InputError) -> [UInt8] {
        let name = name(path)
        let descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw InputError("\(name): \(SystemError.last)") }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var status = stat()
        let isFile = unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
        // Room for a whole file, and one more byte to detect its end; a pipe is read in parts.
        let piece = isFile ? min(Int(status.st_size), maximumSize) + 1 : 1 << 16
        var bytes: [UInt8] = []
        while true {
            let next = try Self.next(piece, of: descriptor, name)
            if bytes.isEmpty { bytes = next } else { bytes += next }
            guard bytes.count <= maximumSize else { throw InputError("\(name): larger than \(maximumSize >> 20) MiB") }
            if next.isEmpty || isFile && next.count < piece { return bytes }
        }
    }

    /// The next bytes, at most `count`; empty at the end.
    private static func next(_ count: Int, of descriptor: Int32, _ name: String) throws(InputError) -> [UInt8] {
        var got = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            repeat { got = unsafe read(descriptor, buffer.baseAddress, count) } while got < 0 && errno == EINTR
            initialized = max(0, got)
        }
        guard got >= 0 else { throw InputError("\(name): \(SystemError.last)") }
        return bytes
    }

    /// The length in bytes of the file at `path`, and the number that distinguishes it from another
    /// file of the same name; nil if the file does not exist.
    public static func identity(_ path: String) -> (size: UInt64, number: UInt64)? {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        // fits: not below 0
        return (UInt64(max(0, status.st_size)), UInt64(status.st_ino))
    }

    /// Bytes of the file at `path` from `offset` on; nil if it cannot be read.
    public static func portion(_ path: String, from offset: UInt64, atMost count: Int) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: count)
        let got = unsafe pread(descriptor, &buffer, count, off_t(clamping: offset))
        return got >= 0 ? Array(buffer.prefix(got)) : nil
    }
}

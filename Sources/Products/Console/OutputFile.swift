#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The system's write, which the method of the same name hides.
func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}

/// A file that is written from its beginning, line by line.
public final class OutputFile: Sendable {
    private let name: String
    private let descriptor: Int32

    /// Creates the file, or truncates it. A device or a pipe is written to.
    public convenience init(_ path: String) throws(InputError) {
        switch try OutputPlace(path) {
        case .stream: try self.init(path, name: path, O_WRONLY)
        case .free, .file: try self.init(path, name: path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
        }
    }

    /// - Parameters:
    ///   - name: Of the file in messages.
    ///   - mode: Of a file that is created.
    fileprivate init(_ path: String, name: String, _ flags: Int32, mode: mode_t = 0o600) throws(InputError) {
        self.name = name
        descriptor = unsafe open(path, flags | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw InputError("\(name): \(SystemError.last)") }
    }

    public func write(_ text: String) throws(InputError) { try write(Array(text.utf8)) }

    public func write(_ bytes: [UInt8]) throws(InputError) {
        guard FileDescriptor.writeAll(descriptor, bytes) else { throw InputError("\(name): \(SystemError.last)") }
    }

    deinit { close(descriptor) }
}

// MARK: - Atomic writes

extension OutputFile {
    /// Replaces the file at `path` by one with `text`. After an error, the file is either the old
    /// or the new one, never a part.
    ///
    /// A device or a pipe is written to: it is no file to be replaced.
    public static func replace(_ path: String, with text: String) throws(InputError) {
        try replace(path) { write throws(InputError) in try write(text) }
    }

    /// The same with bytes.
    ///
    /// - Parameter isForAll: Whether other users may read the file.
    public static func replace(_ path: String, with bytes: [UInt8], isForAll: Bool = false) throws(InputError) {
        try replace(path, isForAll: isForAll) { file throws(InputError) in try file.write(bytes) }
    }

    /// The same with the text that `contents` writes in parts.
    public static func replace(
        _ path: String, _ contents: ((String) throws(InputError) -> Void) throws(InputError) -> Void
    ) throws(InputError) {
        try replace(path, isForAll: false) { file throws(InputError) in
            try contents { text throws(InputError) in try file.write(text) }
        }
    }

    private static func replace(
        _ path: String, isForAll: Bool, contents: (OutputFile) throws(InputError) -> Void
    ) throws(InputError) {
        switch try OutputPlace(path) {
        case .stream: try contents(OutputFile(path, name: path, O_WRONLY))
        case .free, .file:
            try withNewFile(path, isForAll: isForAll, contents) { new throws(InputError) in
                guard unsafe rename(new, path) == 0 else { throw InputError("\(path): \(SystemError.last)") }
            }
        }
    }

    /// Creates a file with `text` at `path`. The file appears only when it is complete.
    ///
    /// - Returns: Whether it was created; false if a file already existed.
    public static func create(_ path: String, with text: String) throws(InputError) -> Bool {
        try create(path, with: Array(text.utf8))
    }

    /// The same with bytes.
    public static func create(_ path: String, with bytes: [UInt8]) throws(InputError) -> Bool {
        try withNewFile(path, { file throws(InputError) in try file.write(bytes) }) { new throws(InputError) in
            if unsafe link(new, path) == 0 { return true }
            guard errno != EEXIST else { return false }
            // A file system without links.
            guard errno == EPERM, case .free = try OutputPlace(path), unsafe rename(new, path) == 0 else {
                throw InputError("\(path): \(SystemError.last)")
            }
            return true
        }
    }

    /// The contents go into a file without a name, which vanishes with a process that ends before
    /// they are complete. Only then does it get one, `path` with an ending, which `body` moves.
    private static func withNewFile<Result>(
        _ path: String, isForAll: Bool = false, _ contents: (OutputFile) throws(InputError) -> Void,
        _ body: (String) throws(InputError) -> Result
    ) throws(InputError) -> Result {
        let new = "\(path).new-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))"
        let folder = path.contains("/") ? path[..<(path.lastIndex(of: "/") ?? path.startIndex)] + "/." : "."
        let mode: mode_t = isForAll ? 0o644 : 0o600
        let nameless = try? OutputFile(String(folder), name: path, O_WRONLY | Self.withoutName, mode: mode)
        // Not every file system has files without names.
        let file =
            if let nameless { nameless } else {
                try OutputFile(new, name: path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
            }
        defer { unsafe unlink(new) }
        try contents(file)
        guard fsync(file.descriptor) == 0, nameless == nil || file.publish(as: new) else {
            throw InputError("\(path): \(SystemError.last)")
        }
        let result = try body(new)
        // The name becomes durable with its folder; a file system that cannot flush folders has
        // already done so.
        let opened = unsafe open(String(folder), O_RDONLY | O_CLOEXEC)
        if opened >= 0 {
            fsync(opened)
            close(opened)
        }
        return result
    }

    /// `O_TMPFILE` (open(2)), which is no constant for the compiler.
    private static let withoutName = O_DIRECTORY | 0o20_000_000

    /// Gives a file without a name this one (open(2), O_TMPFILE).
    ///
    /// - Returns: False if the system does not; `errno` says why.
    private func publish(as path: String) -> Bool {
        unsafe linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
    }
}

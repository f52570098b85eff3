#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The files below folders.
public enum FileTree {
    /// The files in `paths`, and those with one of `extensions` below the folders in `paths`, in
    /// the order of their names. Hidden files and the targets of links are skipped.
    public static func files(_ paths: [String], extensions: Set<String>) throws(InputError) -> [String] {
        var files: [String] = []
        for path in paths { isFolder(path) ? try collect(path, extensions, depth: 0, &files) : files.append(path) }
        return files
    }

    /// Whether a folder is at `path`; a link to one counts.
    public static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && Kind(status) == .folder
    }

    /// Deeper folders are skipped.
    private static let maximumDepth = 32

    private static func collect(
        _ folder: String, _ extensions: Set<String>, depth: Int, _ files: inout [String]
    ) throws(InputError) {
        guard depth < maximumDepth else { return }
        for entry in try entries(folder).sorted(by: { $0.name < $1.name }) where !entry.name.hasPrefix(".") {
            let path = folder.hasSuffix("/") ? folder + entry.name : "\(folder)/\(entry.name)"
            switch entry.kind ?? kind(path) {
            case .folder: try collect(path, extensions, depth: depth + 1, &files)
            case .file:
                let name = entry.name
                guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { continue }
                if extensions.contains(name[name.utf8.index(after: dot)...].lowercased()) { files.append(path) }
            case .other: break
            }
        }
    }

    private enum Kind {
        case folder, file, other

        init(_ status: stat) {
            switch status.st_mode & S_IFMT {
            case S_IFDIR: self = .folder
            case S_IFREG: self = .file
            default: self = .other
            }
        }
    }

    /// The entries of `folder`, each with its kind if the file system returns it.
    private static func entries(_ folder: String) throws(InputError) -> [(name: String, kind: Kind?)] {
        guard let directory = unsafe opendir(folder) else { throw InputError("\(folder): the folder cannot be read") }
        defer { unsafe closedir(directory) }
        var entries: [(name: String, kind: Kind?)] = []
        // In memory an entry ends with its name: the rest of the structure may be outside the
        // allocation.
        let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        while let entry = unsafe readdir(directory) {
            let name = unsafe String(
                cString: UnsafeRawPointer(entry).advanced(by: nameOffset).assumingMemoryBound(to: CChar.self))
            let kind: Kind? =
                switch unsafe Int(entry.pointee.d_type) {
                case Int(DT_DIR): .folder
                case Int(DT_REG): .file
                case Int(DT_UNKNOWN): nil
                default: .other
                }
            entries.append((name, kind))
        }
        return entries
    }

    /// The kind of the entry at `path`; links are not followed.
    private static func kind(_ path: String) -> Kind {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? Kind(status) : .other
    }
}

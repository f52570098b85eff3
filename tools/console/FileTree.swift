import FoundationEssentials

/// The files below folders.
public enum FileTree {
    /// The files that `paths` name, and those below the folders that they name whose names end in one of `extensions`, in the order of their names. Hidden files and
    /// what links lead to are left out.
    public static func files(_ paths: [String], extensions: Set<String>) throws(InputError) -> [String] {
        var files: [String] = []
        for path in paths { isFolder(path) ? try collect(path, extensions, depth: 0, &files) : files.append(path) }
        return files
    }

    /// Whether a folder is at `path`; a link to one counts.
    public static func isFolder(_ path: String) -> Bool {
        guard !path.isEmpty else { return false }
        let target = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false)
        return (try? FileManager.default.attributesOfItem(atPath: target))?[.type] as? FileAttributeType == .typeDirectory
    }

    /// Deeper folders are not gone into.
    private static let maximumDepth = 32

    private static func collect(
        _ folder: String, _ extensions: Set<String>, depth: Int, _ files: inout [String]
    ) throws(InputError) {
        guard depth < maximumDepth else { return }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        } catch {
            throw InputError("\(folder): the folder cannot be read")
        }
        for name in names where !name.hasPrefix(".") {
            let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
            let type = (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
            if type == .typeDirectory {
                try collect(path, extensions, depth: depth + 1, &files)
            } else if type == .typeRegular, let ending = name.split(separator: ".").last, extensions.contains(ending.lowercased()) {
                files.append(path)
            }
        }
    }
}

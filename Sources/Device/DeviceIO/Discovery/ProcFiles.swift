internal import Glibc

/// Reads `/proc` and `/sys`, up to a maximum length.
enum ProcFiles {
    static func entries(_ folder: String) -> [String] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe name(of: entry)
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    /// The name of an entry, read in place. In memory an entry ends with its name: the rest of the
    /// structure may be outside the allocation.
    static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
        let start = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        return unsafe String(cString: UnsafeRawPointer(entry).advanced(by: start).assumingMemoryBound(to: CChar.self))
    }

    /// The numbers of all processes.
    static var processes: [String] { entries("/proc").filter { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } } }

    /// The name of a process, at most 15 characters of it.
    static func name(ofProcess number: String) -> String? {
        text("/proc/\(number)/comm", atMost: 64).map(\.asName)
    }

    static func target(ofLink path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 256)
        let count = unsafe readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }

    /// Nil if there is no such file, or none that may be read.
    static func text(_ path: String, atMost limit: Int) -> String? {
        bytes(path, atMost: limit).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Nil if there is no such file, or none that may be read.
    static func bytes(_ path: String, atMost limit: Int) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < limit {
            let count = unsafe Glibc.read(descriptor, &buffer, min(buffer.count, limit - bytes.count))
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        return bytes
    }
}

private import Glibc

/// The program that has a device file open, looked up in `/proc`.
public enum DeviceHolder {
    /// Name and process number of a program, other than this one, that has `path` open; nil if none can be seen. Those of other users can be seen by root
    /// only. The path may be a link to the device file, as those in `/dev/serial/by-id` are.
    public static func program(holding path: String) -> String? {
        let own = String(getpid())
        let path = resolved(path)
        for process in entries("/proc") where process != own && process.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            for descriptor in entries("/proc/\(process)/fd") where target("/proc/\(process)/fd/\(descriptor)") == path {
                return "\(name(ofProcess: process)) (process \(process))"
            }
        }
        return nil
    }

    /// `error` with the holder's name in it, if it is about a busy device whose holder can be seen.
    static func named(_ error: DeviceError, _ path: String) -> DeviceError {
        guard case .busy(let device, nil) = error else { return error }
        return .busy(device, holder: program(holding: path))
    }

    private static func resolved(_ path: String) -> String {
        guard let text = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    private static func entries(_ folder: String) -> [String] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    private static func target(_ link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 256)
        let count = unsafe readlink(link, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }

    private static func name(ofProcess number: String) -> String {
        let descriptor = unsafe open("/proc/\(number)/comm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "a program" }
        defer { Glibc.close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count).filter { $0 != 0x0A }, as: UTF8.self) : "a program"
    }
}

private import Glibc

/// The program that has a device file open, looked up in `/proc`.
public enum DeviceHolder {
    /// Name and process number of a program, other than this one, that has `path` open; nil if no
    /// such program is visible. Programs of other users are visible only to root. The path may be a
    /// link to the device file, such as those in `/dev/serial/by-id`.
    public static func program(holding path: String) -> String? {
        let own = String(getpid())
        let path = resolved(path)
        for process in ProcFiles.processes where process != own {
            let folder = "/proc/\(process)/fd"
            if ProcFiles.entries(folder).contains(where: { ProcFiles.target(ofLink: "\(folder)/\($0)") == path }) {
                return "\(ProcFiles.name(ofProcess: process) ?? "a program") (process \(process))"
            }
        }
        return nil
    }

    /// `error` with the name of the holder, if the device is busy and its holder is visible.
    static func named(_ error: DeviceError, _ path: String) -> DeviceError {
        guard case .busy(let device, nil) = error else { return error }
        return .busy(device, holder: program(holding: path))
    }

    /// Without symbolic links; `path` itself if there is no such file.
    static func resolved(_ path: String) -> String {
        guard let text = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }
}

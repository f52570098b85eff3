import Foundation

/// The processes that a command has started.
enum WorkerProcesses {
    /// Those of them that have `file` open.
    static func reading(_ file: String, of parent: pid_t) -> [pid_t] {
        let manager = FileManager.default
        let processes = (try? manager.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
        return processes.filter { process in
            let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
            guard status.contains("\nPPid:\t\(parent)\n") else { return false }
            let folder = "/proc/\(process)/fd"
            let open = (try? manager.contentsOfDirectory(atPath: folder)) ?? []
            return open.contains { (try? manager.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == file }
        }
    }
}

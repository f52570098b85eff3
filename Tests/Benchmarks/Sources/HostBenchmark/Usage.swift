import CReference
import Foundation

/// What the process holds and has used.
struct Usage {
    /// Resident, in KiB (VmRSS of /proc/self/status).
    let resident: Int
    /// What of it is given out by the allocator, in KiB: the rest is kept for later.
    let allocated: Int
    let descriptors: Int
    /// User and system time of all threads, in seconds.
    let processorTime: Double

    static var now: Usage {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0
        return Usage(
            resident: Int(line.filter(\.isNumber)) ?? 0, allocated: reference_allocated() / 1024, descriptors: open,
            processorTime: Double(reference_own_cost()) / 1e6)
    }
}

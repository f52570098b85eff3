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
        let heap = mallinfo2()
        var times = rusage()
        getrusage(RUSAGE_SELF, &times)
        let seconds = { (time: timeval) in Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return Usage(
            resident: Int(line.filter(\.isNumber)) ?? 0, allocated: Int(heap.uordblks + heap.hblkhd) / 1024, descriptors: open,
            processorTime: seconds(times.ru_utime) + seconds(times.ru_stime))
    }
}

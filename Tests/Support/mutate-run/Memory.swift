import CHeap
import Foundation

/// What the process has in memory.
enum Memory {
    /// Bytes that are allocated and not freed, of all arenas.
    static func live() -> Int { heap_in_use() }

    /// The most bytes that were resident since the start or ``residentPeakFromNow()``.
    static func residentPeak() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return (line.split(separator: " ").compactMap { Int($0) }.first ?? 0) << 10
    }

    /// Resets the peak to what is resident now, and returns that (proc(5), `clear_refs`).
    static func residentPeakFromNow() -> Int {
        try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        return residentPeak()
    }
}

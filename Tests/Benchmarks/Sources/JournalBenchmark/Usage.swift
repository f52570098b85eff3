import CCounters
import Foundation
import Glibc
import Synchronization

/// Time that has passed, and what the process has used.
struct Usage {
    private let elapsed: Double
    private let processor: Double
    let allocations: Int
    /// Waits for the disk.
    let flushes: Int

    static var now: Usage {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Usage(
            elapsed: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9,
            processor: seconds(usage.ru_utime) + seconds(usage.ru_stime),
            allocations: counted_allocations(), flushes: counted_flushes())
    }

    static func - (later: Usage, earlier: Usage) -> Usage {
        Usage(
            elapsed: later.elapsed - earlier.elapsed, processor: later.processor - earlier.processor,
            allocations: later.allocations - earlier.allocations, flushes: later.flushes - earlier.flushes)
    }

    /// Rounded to hundredths.
    var milliseconds: Double { (elapsed * 1e5).rounded() / 100 }
    var processorMicroseconds: Double { (processor * 1e6).rounded() }

    /// In units of 10⁶ bytes.
    static var residentMegabytes: Double {
        let line = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return (Double(pages * sysconf(Int32(_SC_PAGESIZE))) / 1e5).rounded() / 10
    }
}

/// Counts the process's threads every millisecond, its own not among them. By system calls only:
/// Foundation's files would take a megabyte of the memory that is measured.
final class ThreadSampler: Sendable {
    private let state = Mutex((most: 0, isStopped: false))

    init() {
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { sampler in
                sampler.map { Unmanaged<ThreadSampler>.fromOpaque($0).takeRetainedValue().run() }
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        pthread_detach(thread)
    }

    private func run() {
        // An hour at most, far longer than what is measured.
        for _ in 0..<3_600_000 {
            if state.withLock({ $0.isStopped }) { return }
            let count = Self.threads - 1
            state.withLock { $0.most = max($0.most, count) }
            usleep(1000)
        }
    }

    private static var threads: Int {
        guard let folder = opendir("/proc/self/task") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            if entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
        }
        return count
    }

    func stop() -> Int {
        state.withLock { state in
            state.isStopped = true
            return state.most
        }
    }
}

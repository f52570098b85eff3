import Foundation

/// Two ways to do the same, timed in turn in one run, and the ratio of what they cost in processor
/// time.
///
/// The least of many rounds is taken of each: on a shared machine everything above it is somebody
/// else's noise.
struct Comparison {
    /// What is measured.
    let name: String
    /// What it is measured against.
    let referenceName: String
    /// The highest ratio that passes: at most 1.2 times the one in docs/performance.md.
    let limit: Double
    /// Microseconds.
    private(set) var ours = Double.infinity
    private(set) var reference = Double.infinity

    init(_ name: String, against referenceName: String, limit: Double) {
        self.name = name
        self.referenceName = referenceName
        self.limit = limit
    }

    var ratio: Double { ours / reference }

    mutating func measure(rounds: Int = 60, times: Int, ours run: () async -> Void, reference runReference: () -> Void)
        async
    {
        for _ in 0..<rounds {
            var start = Self.processorTime()
            for _ in 0..<times { runReference() }
            let end = Self.processorTime()
            reference = min(reference, (end - start) / Double(times))
            start = Self.processorTime()
            for _ in 0..<times { await run() }
            ours = min(ours, (Self.processorTime() - start) / Double(times))
        }
    }

    mutating func take(ours cost: Double, reference referenceCost: Double) {
        ours = min(ours, cost)
        reference = min(reference, referenceCost)
    }

    /// Of all threads of this process, in microseconds.
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
}

/// Two ways to do the same, timed in turn in one run, and the ratio of what they cost.
///
/// The least of many rounds is taken of each: on a shared machine everything above it is somebody else's noise.
struct Comparison {
    let name: String
    let limit: Double
    /// Microseconds.
    private(set) var ours = Double.infinity
    private(set) var reference = Double.infinity

    init(_ name: String, limit: Double) {
        self.name = name
        self.limit = limit
    }

    var ratio: Double { ours / reference }

    mutating func measure(rounds: Int = 60, times: Int, ours run: () async -> Void, reference runReference: () -> Void) async {
        let clock = ContinuousClock()
        for _ in 0..<rounds {
            var start = clock.now
            for _ in 0..<times { runReference() }
            reference = min(reference, Self.microseconds(start.duration(to: clock.now)) / Double(times))
            start = clock.now
            for _ in 0..<times { await run() }
            ours = min(ours, Self.microseconds(start.duration(to: clock.now)) / Double(times))
        }
    }

    mutating func take(ours cost: Double, reference referenceCost: Double) {
        ours = min(ours, cost)
        reference = min(reference, referenceCost)
    }

    private static func microseconds(_ duration: Duration) -> Double { duration / .microseconds(1) }
}

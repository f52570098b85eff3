import Foundation

/// How fast something went, and what it cost this process.
struct Throughput {
    let perSecond: Double
    /// User and system time of all threads for each, in microseconds.
    let cost: Double

    static func measure(_ count: Int, _ body: @Sendable () async throws -> Void) async throws -> Throughput {
        let (start, before) = (ContinuousClock.now, Usage.now)
        try await body()
        let time = start.duration(to: .now) / .seconds(1)
        return Throughput(
            perSecond: Double(count) / time,
            cost: (Usage.now.processorTime - before.processorTime) / Double(count) * 1e6)
    }

    func line(_ name: String) -> String {
        name.padding(toLength: 46, withPad: " ", startingAt: 0)
            + String(format: "%8.0f a second, %5.0f µs each", perSecond, cost)
    }
}

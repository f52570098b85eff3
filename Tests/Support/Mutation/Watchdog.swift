import Foundation
import Synchronization

/// Ends the process with the seed of a run that does not end.
public final class Watchdog: Sendable {
    /// A run takes about a millisecond.
    private static let timeout = Duration.seconds(30)

    private let current = Mutex<(seed: UInt64, since: ContinuousClock.Instant)?>(nil)

    /// Watches until the process ends.
    public init() {
        Thread.detachNewThread { [self] in
            while true {
                Thread.sleep(forTimeInterval: 1)
                guard let (seed, since) = current.withLock({ $0 }), since.duration(to: .now) > Self.timeout else {
                    continue
                }
                fatalError("seed \(seed) hangs")
            }
        }
    }

    public func begin(_ seed: UInt64) { current.withLock { $0 = (seed, .now) } }
    public func end() { current.withLock { $0 = nil } }
}

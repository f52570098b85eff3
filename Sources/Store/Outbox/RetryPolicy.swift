/// When a delivery is tried again: after times that double, up to a longest one.
public struct RetryPolicy: Sendable, Equatable {
    /// In seconds, 1 to 86,400.
    public let firstDelay: Int64
    /// In seconds, at least the first.
    public let longestDelay: Int64
    /// At least 1.
    public let maximumAttempts: Int

    /// Numbers out of range become the nearest in range. The default tries 12 times within about
    /// half a day.
    public init(firstDelay: Int64 = 30, longestDelay: Int64 = 7200, maximumAttempts: Int = 12) {
        self.firstDelay = min(max(firstDelay, 1), 86_400)
        self.longestDelay = min(max(longestDelay, self.firstDelay), 30 * 86_400)
        self.maximumAttempts = min(max(maximumAttempts, 1), 1000)
    }

    /// The seconds until the next attempt: half of the doubled time, and of the other half a part,
    /// so that many deliveries that failed together do not come back together.
    ///
    /// - Parameters:
    ///   - attempts: How many were made, from 1.
    ///   - jitter: The part of the second half, in 65,536ths: a random number.
    public func delay(after attempts: Int, jitter: UInt16) -> Int64 {
        var delay = firstDelay
        var doublings = attempts
        while doublings > 1, delay < longestDelay {
            delay *= 2
            doublings -= 1
        }
        delay = min(delay, longestDelay)
        let half = delay / 2
        return max(1, delay - half + half * Int64(jitter) / 65_536)
    }
}

internal import Bytes

/// Failed attempts of a user: a few at once, then one from time to time.
struct AttemptLimit: Sendable, Equatable {
    /// How many may fail at once.
    static let burst: Int64 = 5
    /// After how many seconds another one is permitted.
    static let interval: Int64 = 60

    private var failures: Int64 = 0
    /// When the failures were counted last.
    private var moment: Int64 = 0

    /// The seconds until an attempt is permitted; nil if it is.
    mutating func wait(now: Int64) -> Int64? {
        forget(now)
        guard failures >= Self.burst else { return nil }
        return min(max(1, moment.saturatingAdding(Self.interval).saturatingSubtracting(now)), Self.interval)
    }

    mutating func fail(now: Int64) {
        forget(now)
        if failures == 0 { moment = now }
        failures = min(Self.burst, failures + 1)
    }

    /// A clock that is set back forgets nothing, and starts the interval again.
    private mutating func forget(_ now: Int64) {
        guard now >= moment else {
            moment = now
            return
        }
        let forgotten = min(failures, now.saturatingSubtracting(moment) / Self.interval)
        failures -= forgotten
        moment = failures == 0 ? now : moment.saturatingAdding(forgotten * Self.interval)
    }
}

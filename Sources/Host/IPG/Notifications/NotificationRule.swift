internal import Bytes

/// What the answer to a notification means to the gateway, by generation.
public enum NotificationRule: Sendable, Hashable {
    /// The body must be exactly `OK`, or the gateway declines and reverses.
    case okOrReversal
    /// The status must be 200, or the gateway repeats the notification. It never reverses.
    case retried

    /// The rule of API 4.3 is not documented: that of 4.1 is taken for it.
    public init(_ generation: SignatureGeneration) {
        self = generation == .sorted ? .retried : .okOrReversal
    }

    /// Whether an HTTP answer takes the notification.
    ///
    /// - Parameters:
    ///   - status: nil if no answer came.
    ///   - body: As it was received; `OK` with a line feed is none.
    public func isTaken(status: Int?, body: [UInt8]) -> Bool {
        guard status == 200 else { return false }
        return self == .retried || body == Array("OK".utf8)
    }

    /// How many seconds after an answer that did not take it the notification comes again, for each
    /// repetition: 53 within a day, or none.
    public var retryDelays: [Int] {
        guard self == .retried else { return [] }
        let schedule = [(20, 60), (8, 300), (6, 600), (6, 1200), (6, 3600), (7, 7200)]
        return schedule.flatMap { count, seconds in [Int](repeating: seconds, count: count) }
    }
}

internal import CDeviceIO

/// A moment after which a wait ends. It stays the same through all the steps of an exchange, so that together they take no longer.
public struct Deadline: Sendable, Comparable {
    /// Of the monotonic clock, which stands still while the machine sleeps.
    let nanoseconds: Int64

    public static let never = Deadline(nanoseconds: .max)

    /// Zero and less have passed at once.
    public static func after(_ duration: Duration) -> Deadline {
        let parts = duration.components
        let (seconds, isLong) = parts.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isLate) = cdio_now().addingReportingOverflow(seconds)
        guard !isLong, !isLate else { return parts.seconds > 0 ? .never : Deadline(nanoseconds: 0) }
        return Deadline(nanoseconds: sum.addingReportingOverflow(parts.attoseconds / 1_000_000_000).partialValue)
    }

    public var hasPassed: Bool { nanoseconds <= cdio_now() }

    /// Nothing if it has passed.
    public var remaining: Duration { self == .never ? .seconds(Int64.max) : .nanoseconds(max(0, nanoseconds - cdio_now())) }

    public static func < (left: Deadline, right: Deadline) -> Bool { left.nanoseconds < right.nanoseconds }
}

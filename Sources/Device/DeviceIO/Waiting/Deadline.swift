internal import CDeviceIO

/// The moment when a wait ends. All steps of an exchange share one deadline, which bounds their
/// total time.
public struct Deadline: Sendable, Comparable {
    /// By the monotonic clock, which stops while the computer sleeps.
    let nanoseconds: Int64

    public static let never = Deadline(nanoseconds: .max)

    /// A deadline after zero or less has already passed.
    public static func after(_ duration: Duration) -> Deadline {
        let parts = duration.components
        let (seconds, isLong) = parts.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isLate) = cdio_now().addingReportingOverflow(seconds)
        guard !isLong, !isLate else { return parts.seconds > 0 ? .never : Deadline(nanoseconds: 0) }
        return Deadline(nanoseconds: sum.addingReportingOverflow(parts.attoseconds / 1_000_000_000).partialValue)
    }

    public var hasPassed: Bool { nanoseconds <= cdio_now() }

    /// Zero if it has passed.
    public var remaining: Duration {
        self == .never ? .seconds(Int64.max) : .nanoseconds(max(0, nanoseconds - cdio_now()))
    }

    public static func < (left: Deadline, right: Deadline) -> Bool { left.nanoseconds < right.nanoseconds }
}

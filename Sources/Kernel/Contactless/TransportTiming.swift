/// How long a reader's transport takes from a command to its answer, and the settings of the relay
/// resistance protocol that follow (EMV Contactless Book C-2, DF8132 to DF8136).
///
/// The books' defaults suppose a clock at the antenna. A clock at the host sees the way to the
/// reader and back as well: its usual time is known and is subtracted, its variation is not.
package struct TransportTiming: Sendable, Equatable {
    package let fastest: Duration
    /// The median.
    package let p50: Duration
    /// 99 of 100 round trips are not slower.
    package let p99: Duration
    package let slowest: Duration
    package let count: Int

    /// Nil without round trips. Percentiles are by nearest rank.
    package init?(_ roundTrips: [Duration]) {
        let sorted = roundTrips.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        func percentile(_ percent: Int) -> Duration { sorted[(sorted.count * percent + 99) / 100 - 1] }
        (fastest, slowest, count) = (first, last, sorted.count)
        (p50, p99) = (percentile(50), percentile(99))
    }

    /// How far the slower half is above the median: a relay that adds less cannot be detected.
    package var accuracy: Duration { p99 - p50 }

    /// The defaults of the book, and the transport's times: the median in the time of the command,
    /// the variation in the limits below and above. The time of the answer stays, because the
    /// kernel compares it with the card's own.
    package var limits: RelayResistanceLimits {
        var limits = RelayResistanceLimits()
        limits.expectedCommandTime = Self.sum(limits.expectedCommandTime, p50)
        limits.minimumGracePeriod = Self.sum(limits.minimumGracePeriod, p50 - fastest)
        limits.maximumGracePeriod = Self.sum(limits.maximumGracePeriod, accuracy)
        limits.accuracyThreshold = Self.sum(limits.accuracyThreshold, accuracy)
        return limits
    }

    /// In units of 100 µs, rounded up; at most 65,535.
    private static func sum(_ units: UInt16, _ time: Duration) -> UInt16 {
        let (seconds, attoseconds) = time.components
        let unit: Int64 = 100_000_000_000_000
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 10_000)
        guard !isTooLong else { return .max }
        return UInt16(clamping: Int64(units) + whole + (attoseconds + unit - 1) / unit)
    }
}

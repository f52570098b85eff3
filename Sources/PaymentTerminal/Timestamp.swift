private import FoundationEssentials

/// A moment by the terminal's clock, with the local time that goes on receipts.
public struct Timestamp: Sendable, Hashable, Codable {
    /// Seconds since 1970-01-01 00:00:00 UTC.
    public let secondsSince1970: Int64
    /// Seconds that local time is ahead of UTC.
    public let utcOffset: Int

    public init(secondsSince1970: Int64, utcOffset: Int = 0) {
        self.secondsSince1970 = secondsSince1970
        self.utcOffset = utcOffset
    }

    /// The local date: `2026-03-09`.
    public var date: String { local.formatted(.iso8601.year().month().day()) }

    /// The local time of day: `14:05:09`.
    public var time: String { local.formatted(.iso8601.time(includingFractionalSeconds: false)) }

    /// Local time as if it were UTC, which is what the formats above print.
    private var local: Date { Date(timeIntervalSince1970: Double(secondsSince1970) + Double(utcOffset)) }
}

extension Timestamp: CustomStringConvertible {
    public var description: String { "\(date) \(time)" }
}

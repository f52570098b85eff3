private import Bytes
private import Glibc

/// A moment by the terminal's clock, with the local time for cards and receipts.
public struct Timestamp: Sendable, Hashable, Codable {
    /// Seconds since 1970-01-01 00:00:00 UTC.
    public let secondsSince1970: Int64
    /// Seconds that local time is ahead of UTC.
    public let utcOffset: Int

    /// A moment with `utcOffset` in seconds east of UTC; 0, the default, is UTC itself.
    public init(secondsSince1970: Int64, utcOffset: Int = 0) {
        self.secondsSince1970 = secondsSince1970
        self.utcOffset = utcOffset
    }

    /// The current time by the system's clock, in the time zone of the process (`TZ`, or that of
    /// the machine).
    public static func now() -> Timestamp {
        var seconds = Glibc.time(nil)
        var local = unsafe tm()
        let offset = unsafe localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff
        return Timestamp(secondsSince1970: Int64(seconds), utcOffset: offset)
    }

    /// The local date: `2026-03-09`.
    public var date: String {
        let local = local
        return "\(Self.digits(local.year, 4))-\(Self.digits(local.month, 2))-\(Self.digits(local.day, 2))"
    }

    /// The local time of day: `14:05:09`.
    public var time: String {
        let local = local
        return [local.hour, local.minute, local.second].map { Self.digits($0, 2) }.joined(separator: ":")
    }

    /// The local date as YYMMDD, format `n`, tag `9A`.
    public var transactionDate: [UInt8] { Self.packed(local.year % 100, local.month, local.day) }

    /// The local time of day as HHMMSS, format `n`, tag `9F21`.
    public var transactionTime: [UInt8] { Self.packed(local.hour, local.minute, local.second) }

    /// The local time as calendar fields; the first moment of 1970 if the calendar cannot represent
    /// it.
    private var local: (year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        let (seconds, overflow) = secondsSince1970.addingReportingOverflow(Int64(clamping: utcOffset))
        var moment = time_t(overflow ? 0 : seconds)
        var parts = unsafe tm()
        guard unsafe gmtime_r(&moment, &parts) != nil else { return (1970, 1, 1, 0, 0, 0) }
        return unsafe (
            Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday), Int(parts.tm_hour), Int(parts.tm_min),
            Int(parts.tm_sec)
        )
    }

    private static func digits(_ value: Int, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    private static func packed(_ values: Int...) -> [UInt8] {
        values.map { BCD.encode(UInt64(clamping: $0), count: 1)?.first ?? 0 }
    }
}

extension Timestamp: CustomStringConvertible {
    public var description: String { "\(date) \(time)" }
}

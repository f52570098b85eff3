/// The journal's own count of days, by which it keeps entries.
///
/// A clock cannot make it run fast: it goes up by one for each call on a later date, whatever the
/// distance, and not at all for a step of the clock. A terminal calls it once a day, and at its
/// start; a day without the terminal does not count.
package struct JournalDay: Sendable, Equatable {
    /// The maximum number of days between two dates that follow each other. A longer step is a
    /// clock that was set.
    package static let longestStep: Int64 = 31

    /// Begins with 1.
    package private(set) var number: Int64
    /// Of the last call, in days since 1970-01-01; nil before the first.
    package private(set) var date: Int64?

    /// A count as it was stored.
    package init(number: Int64 = 1, date: Int64? = nil) {
        self.number = number
        self.date = date
    }

    /// Counts the day if `next` follows the date of the call before.
    package mutating func count(_ next: Int64) {
        defer { date = next }
        guard let date, next > date else { return }
        let (step, overflow) = next.subtractingReportingOverflow(date)
        if !overflow, step <= Self.longestStep, number < .max { number += 1 }
    }

    /// Entries of this day and earlier ones are older than `days`; nil if there cannot be any.
    package func last(before days: Int) -> Int64? {
        let (last, overflow) = number.subtractingReportingOverflow(Int64(clamping: days))
        return overflow || days < 0 ? nil : last - 1
    }
}

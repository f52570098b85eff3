/// A moment of the Gregorian calendar, without a time zone.
package struct CivilTime: Equatable, Sendable {
    package let year: Int
    package let month: Int
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int

    /// - Parameter seconds: since 1970-01-01 00:00:00.
    package init(_ seconds: Int64) {
        let time = Int((seconds % 86_400 + 86_400) % 86_400)
        let days = Int(seconds / 86_400) - (seconds % 86_400 < 0 ? 1 : 0)
        // Years begin in March here, so that the leap day is the last of a year; 719,468 days lie
        // between 0000-03-01 and 1970-01-01.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        hour = time / 3600
        minute = time / 60 % 60
        second = time % 60
    }

    /// Nil if there is no such moment.
    package init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), (1...31).contains(day), (0...23).contains(hour),
            (0...59).contains(minute), (0...59).contains(second)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        guard CivilTime(seconds) == self else { return nil }
    }

    /// Since 1970-01-01 00:00:00.
    package var seconds: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        return Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }

    /// 14 digits, `20210716141055`; a year of more than four digits is cut to its last four.
    package var digits: String {
        let parts = [(year, 4), (month, 2), (day, 2), (hour, 2), (minute, 2), (second, 2)]
        return parts.map { number, count in
            String((String(repeating: "0", count: count) + String(number)).suffix(count))
        }.joined()
    }
}

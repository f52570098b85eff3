import Bytes
public import CardCapture
import PaymentTerminal

/// The gateway's date and time, by the terminal's clock: `10-12-2016:12:00:00:000`, day, month and
/// year, milliseconds last.
public enum GatewayDate {
    public static func text(_ timestamp: Timestamp, milliseconds: Int = 0) -> String {
        let moment = CivilTime(timestamp.secondsSince1970.saturatingAdding(Int64(timestamp.utcOffset)))
        return [
            padded(moment.day, 2) + "-" + padded(moment.month, 2) + "-" + padded(moment.year, 4),
            padded(moment.hour, 2),
            padded(moment.minute, 2), padded(moment.second, 2), padded(milliseconds, 3),
        ].joined(separator: ":")
    }

    /// Local time as if it were UTC: the text has no time zone. Nil if the text is not a date.
    public static func timestamp(_ text: String) -> Timestamp? {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "-" }
        guard parts.count == 7, parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            return nil
        }
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == 7,
            let moment = CivilTime(
                year: numbers[2], month: numbers[1], day: numbers[0], hour: numbers[3], minute: numbers[4],
                second: numbers[5])
        else { return nil }
        return Timestamp(secondsSince1970: moment.seconds)
    }

    static func padded(_ number: Int, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}

/// A moment of the Gregorian calendar, without a time zone.
struct CivilTime: Equatable {
    let year: Int
    let month: Int
    let day: Int
    let hour: Int
    let minute: Int
    let second: Int

    /// - Parameter seconds: since 1970-01-01 00:00:00.
    init(_ seconds: Int64) {
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
    init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
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
    var seconds: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        return Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }
}

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

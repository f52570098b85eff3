import Bytes
import CardCapture
import Foundation
import PaymentTerminal

/// The bench's clock, in the forms that terminal and kernel want.
enum LaneClock {
    static func timestamp() -> Timestamp {
        let now = Date()
        // fits: a moment of our time
        return Timestamp(secondsSince1970: Int64(now.timeIntervalSince1970), utcOffset: TimeZone.current.secondsFromGMT(for: now))
    }

    static func localTime() -> ChipReader.LocalTime {
        let parts = Calendar(identifier: .gregorian).dateComponents([.year, .month, .day, .hour, .minute, .second], from: Date())
        func digits(_ values: Int?...) -> [UInt8] {
            values.map { value in BCD.encode(UInt64(clamping: (value ?? 0) % 100), count: 1)?.first ?? 0 }
        }
        return ChipReader.LocalTime(date: digits(parts.year, parts.month, parts.day), time: digits(parts.hour, parts.minute, parts.second))
    }
}

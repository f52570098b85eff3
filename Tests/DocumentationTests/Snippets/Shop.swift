import CardPresent
import Foundation

/// Chance for the kernel.
struct ShopEnvironment: EMVEnvironment {
    func unpredictableNumber() -> [UInt8] { SecureRandom.bytes(4) }
    func randomPercentage() -> Int { Int.random(in: 1...99) }
}

/// The clock of the shop, as terminal and kernel want it.
struct ShopClock: Sendable {
    func timestamp() -> Timestamp {
        Timestamp(secondsSince1970: Int64(Date().timeIntervalSince1970), utcOffset: TimeZone.current.secondsFromGMT())
    }

    func localTime() -> ChipReader.LocalTime {
        let now = timestamp()
        let bytes = { (text: String) in (try? [UInt8](hex: text.filter(\.isNumber))) ?? [] }
        return ChipReader.LocalTime(date: bytes(String(now.date.dropFirst(2))), time: bytes(now.time))
    }
}

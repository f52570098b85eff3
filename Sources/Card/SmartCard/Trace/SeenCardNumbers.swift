private import Bytes
private import TLV

/// The card numbers that a trace has shown so far, and where a text repeats one: as its digits, or
/// as the hexadecimal digits of these characters.
///
/// A text is read once, however many numbers there are.
struct SeenCardNumbers: Sendable {
    /// A number has 8 to 19 digits, so that each has a beginning of this length.
    private static let beginning = 8

    private var numbers: Set<String> = []
    /// The first eight characters of each, as they stand in memory.
    private var beginnings: Set<UInt64> = []
    /// In characters, the longest first.
    private var lengths: [Int] = []

    /// - Parameter digits: ASCII; fewer than eight are not a card number.
    mutating func insert(_ digits: [UInt8]) {
        guard digits.count >= Self.beginning else { return }
        for text in [String(decoding: digits, as: UTF8.self), digits.hex] where numbers.insert(text).inserted {
            beginnings.insert(text.utf8.prefix(Self.beginning).reduce(0) { $0 << 8 | UInt64($1) })
            if !lengths.contains(text.utf8.count) { lengths = (lengths + [text.utf8.count]).sorted(by: >) }
        }
    }

    /// `text` with each repetition masked (``Redaction/maskedPAN(_:)``).
    func hidden(in text: String) -> String {
        guard !numbers.isEmpty, text.utf8.count >= Self.beginning else { return text }
        let characters = Array(text.utf8)
        var shown: [UInt8] = []
        // The last eight characters.
        var window: UInt64 = 0
        // What has been copied to `shown`.
        var done = 0
        for end in characters.indices {
            window = window << 8 | UInt64(characters[end])
            let start = end + 1 - Self.beginning
            guard start >= done, beginnings.contains(window), let number = number(in: characters, at: start) else {
                continue
            }
            shown += characters[done..<start]
            shown += Array(Redaction.maskedPAN(number.utf8).utf8)
            done = start + number.utf8.count
        }
        return done == 0 ? text : String(decoding: shown + characters[done...], as: UTF8.self)
    }

    /// The longest number that begins at `start`.
    private func number(in characters: [UInt8], at start: Int) -> String? {
        for length in lengths where length <= characters.count - start {
            let text = String(decoding: characters[start..<start + length], as: UTF8.self)
            if numbers.contains(text) { return text }
        }
        return nil
    }
}

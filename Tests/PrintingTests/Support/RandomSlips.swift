import PaymentTerminal
import Printing
import SeededNumbers

/// Lines of receipts with names in many scripts, of any length, and amounts of any size.
struct RandomSlips {
    private var numbers: SplitMix

    init(seed: UInt64) { numbers = SplitMix(seed: seed) }

    private static let alphabets: [[Character]] = [
        Array("abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789 .,-/()&%#@+*"),
        Array("äöüÄÖÜßéèêçñÅåØøÆæ€£§µ½"), Array("ąćęłńóśźżĄŁŻ čďěňřšťůž őű"), Array("абвгдежзийклмн ОПРСТУФ"),
        Array("αβγδεζηθικλ ΜΝΞΟΠ"), Array("ğışİ āčēģīķļņ"), Array("日本語 漢字 한국어 ไทย 🍕☕️👨‍👩‍👧"),
        [
            "e\u{301}", "n\u{303}", "o\u{308}", "\u{301}", "\u{0}", "\u{7}", "\n", "\r\n", "\u{1B}", "\u{10}",
            "\u{200E}",
            "\u{202E}", "\u{A0}", "\t", "\u{7F}", "\u{9B}", "\u{FFFD}",
        ],
    ]

    mutating func text(_ length: ClosedRange<Int>) -> String {
        var text = ""
        for _ in 0..<Int.random(in: length, using: &numbers) {
            let isPlain = Int.random(in: 0..<4, using: &numbers) > 0
            let alphabet = isPlain ? Self.alphabets[0] : Self.alphabets.randomElement(using: &numbers)!
            text.append(alphabet.randomElement(using: &numbers)!)
        }
        return text
    }

    mutating func money() -> Money {
        let digits = Int.random(in: 1...12, using: &numbers)
        let units = (0..<digits).reduce(0 as Int64) { sum, _ in sum * 10 + Int64.random(in: 0...9, using: &numbers) }
        let currency = ["EUR", "JPY", "KWD"].randomElement(using: &numbers).flatMap { Currency(code: $0) }!
        return Money(minorUnits: Bool.random(using: &numbers) ? units : -units, currency: currency)
    }

    mutating func line() -> Receipt.Line {
        switch Int.random(in: 0..<9, using: &numbers) {
        case 0: .merchant(text(0...60))
        case 1: .heading(text(0...80))
        case 2, 3: .row(text(0...40), text(0...60))
        case 4, 5: .sum(text(0...50), money())
        case 6: .amount(money())
        case 7: .outcome(text(0...40))
        default: Bool.random(using: &numbers) ? .gap : .note(text(0...120))
        }
    }

    mutating func lines() -> [Receipt.Line] { (0..<Int.random(in: 1...30, using: &numbers)).map { _ in line() } }

    mutating func additions() -> Slip.Additions {
        Slip.Additions(
            header: (0..<Int.random(in: 0...2, using: &numbers)).map { _ in text(0...50) },
            footer: (0..<Int.random(in: 0...2, using: &numbers)).map { _ in text(0...50) },
            qr: Int.random(in: 0..<8, using: &numbers) == 0 ? text(1...120) : nil,
            isReprint: Bool.random(using: &numbers))
    }

    mutating func profile() -> (PrinterProfile, font: Int) {
        let profile = PrinterProfile.known.filter { $0.language != .starRaster }.randomElement(using: &numbers)!
        return (profile, profile.fonts.indices.randomElement(using: &numbers)!)
    }

    /// Cuts bytes in parts of any size.
    mutating func parts(_ bytes: [UInt8]) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...200, using: &numbers)
            parts.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return parts
    }
}

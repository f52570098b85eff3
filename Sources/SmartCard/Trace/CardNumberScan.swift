private import MagneticStripe
private import TLV

/// Card numbers in free text: runs of 12 to 19 digits, no digit before or after, with a right check digit (ISO/IEC 7812-1). No
/// payment card's begins with 0; the digits of an AID do.
public enum CardNumberScan {
    public static func containsCardNumber(_ text: String) -> Bool { !ranges(in: Array(text.utf8)).isEmpty }

    /// `text` with every card number masked: the last gate for words that come from a host or a reader.
    public static func masked(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for range in ranges(in: bytes) {
            let places = range.filter { isDigit(bytes[$0]) }
            for (place, shown) in zip(places, Redaction.maskedPAN(places.map { bytes[$0] }).utf8) { bytes[place] = shown }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The ASCII digits of every card number in `bytes`.
    static func numbers(in bytes: [UInt8]) -> [[UInt8]] {
        ranges(in: bytes).map { $0.map { bytes[$0] }.filter(isDigit) }
    }

    private static func ranges(in bytes: [UInt8]) -> [Range<Int>] {
        let groups = bytes.indices.split { !isDigit(bytes[$0]) }.map { $0.startIndex..<$0.endIndex }
        return groups.indices.compactMap { first in
            (first..<groups.endIndex).lazy.map { groups[first...$0] }.first { isCardNumber($0, bytes) }.map {
                $0[first].lowerBound..<$0[$0.endIndex - 1].upperBound
            }
        }
    }

    /// Digits in one piece, or in pieces as they stand on cards: of four, the last one shorter or not, or 4-6-5 and 4-6-4, with one space or hyphen
    /// between. Other pieces are dates and order numbers more often than cards.
    private static func isCardNumber(_ groups: ArraySlice<Range<Int>>, _ bytes: [UInt8]) -> Bool {
        let digits = groups.flatMap { bytes[$0] }
        guard (12...19).contains(digits.count), digits[0] != 0x30, Luhn.isValid(digits) else { return false }
        guard groups.count > 1 else { return true }
        let areNeighbours = zip(groups, groups.dropFirst()).allSatisfy { before, after in
            after.lowerBound - before.upperBound == 1 && [0x20, 0x2D].contains(bytes[before.upperBound])
        }
        let counts = groups.map(\.count)
        return areNeighbours
            && (counts == [4, 6, 5] || counts == [4, 6, 4]
                || counts.dropLast().allSatisfy { $0 == 4 } && (1...4).contains(counts.last ?? 0))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

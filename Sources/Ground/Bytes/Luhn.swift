/// The check digit of a PAN (ISO/IEC 7812-1, annex B).
public enum Luhn {
    /// Whether the last of the ASCII `digits` is right for those before it.
    @inlinable public static func isValid(_ digits: some BidirectionalCollection<UInt8>) -> Bool {
        guard digits.count > 1, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
        return sum(digits, doublingFirst: false) % 10 == 0
    }

    /// The ASCII check digit that makes `digits` valid.
    @inlinable public static func checkDigit(for digits: some BidirectionalCollection<UInt8>) -> UInt8 {
        0x30 + UInt8(truncatingIfNeeded: (10 - sum(digits, doublingFirst: true) % 10) % 10)
    }

    /// The sum from the right, every second digit doubled, beginning with the rightmost if
    /// `doublingFirst`.
    @inlinable static func sum(_ digits: some BidirectionalCollection<UInt8>, doublingFirst: Bool) -> Int {
        var doubles = doublingFirst
        var sum = 0
        for digit in digits.reversed() {
            let value = Int(digit - 0x30) * (doubles ? 2 : 1)
            sum += value > 9 ? value - 9 : value
            doubles.toggle()
        }
        return sum
    }
}

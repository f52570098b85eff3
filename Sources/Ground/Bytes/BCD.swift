/// Decimal digits packed two a byte, as EMV's formats `n` and `cn` have them (EMV 4.4 Book 3, 4.3).
///
/// - `n`: right justified, padded with leading zeros: amounts, dates, country codes.
/// - `cn`: left justified, padded with trailing hexadecimal `F`: the application PAN.
public enum BCD {
    /// The number in `bytes` read as format `n`, or nil if a nibble is not a digit or the value
    /// passes `UInt64.max`.
    @inlinable public static func number(_ bytes: some Sequence<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for byte in bytes {
            let (high, low) = (byte >> 4, byte & 0x0F)
            guard high < 10, low < 10 else { return nil }
            let (scaled, overflow) = value.multipliedReportingOverflow(by: 100)
            let (sum, carry) = scaled.addingReportingOverflow(UInt64(high * 10 + low))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }

    /// The number in one byte of format `n`, 0 to 99, or nil if a nibble is not a digit.
    @inlinable package static func number(_ byte: UInt8) -> Int? {
        let (high, low) = (byte >> 4, byte & 0x0F)
        return high < 10 && low < 10 ? Int(high * 10 + low) : nil
    }

    /// `value` in format `n` of exactly `count` bytes, or nil if it needs more than 2 × `count`
    /// digits.
    public static func encode(_ value: UInt64, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var rest = value
        for index in bytes.indices.reversed() {
            let pair = UInt8(truncatingIfNeeded: rest % 100)
            bytes[index] = (pair / 10) << 4 | pair % 10
            rest /= 100
        }
        return rest == 0 ? bytes : nil
    }

    /// The digits of a `cn` value as ASCII, without its trailing `F` padding; nil if it has any
    /// other nibble.
    @inlinable public static func digits(_ bytes: some Sequence<UInt8>) -> [UInt8]? {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.underestimatedCount)
        var padding = false
        for byte in bytes {
            var shift: UInt8 = 8
            while shift > 0 {
                shift -= 4
                switch byte >> shift & 0x0F {
                case 0x0F: padding = true
                case let nibble where nibble < 10 && !padding: digits.append(0x30 + nibble)
                default: return nil
                }
            }
        }
        return digits
    }

    /// The number of digits of a `cn` value, without its trailing `F` padding; nil if it has any
    /// other nibble.
    @inlinable package static func digitCount(_ bytes: Span<UInt8>) -> Int? {
        var count = 2 * bytes.count
        while count > 0, nibble(bytes, count - 1) == 0x0F { count -= 1 }
        for place in 0..<count where nibble(bytes, place) > 9 { return nil }
        return count
    }

    /// Whether the first `count` digits of two `cn` values, which both have so many, are the same.
    @inlinable package static func haveSameDigits(_ left: Span<UInt8>, _ right: Span<UInt8>, count: Int) -> Bool {
        for place in 0..<count where nibble(left, place) != nibble(right, place) { return false }
        return true
    }

    @usableFromInline static func nibble(_ bytes: Span<UInt8>, _ place: Int) -> UInt8 {
        place.isMultiple(of: 2) ? bytes[place / 2] >> 4 : bytes[place / 2] & 0x0F
    }

    /// ASCII `digits` as a `cn` value, padded with one `F` if their number is odd; nil if one is
    /// not a digit.
    public static func encode(digits: some Collection<UInt8>) -> [UInt8]? {
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity((digits.count + 1) / 2)
        var high: UInt8?
        for digit in digits {
            if let first = high {
                bytes.append(first << 4 | (digit - 0x30))
                high = nil
            } else {
                high = digit - 0x30
            }
        }
        if let last = high { bytes.append(last << 4 | 0x0F) }
        return bytes
    }
}

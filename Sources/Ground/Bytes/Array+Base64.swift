/// How bytes are written in base64 (RFC 4648).
package enum Base64: Sendable {
    /// Section 4: `+`, `/`, and `=` at the end.
    case standard
    /// Section 5, without `=`: `-` and `_`.
    case url

    fileprivate var alphabet: [UInt8] {
        let common = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        return common + (self == .standard ? "+/" : "-_").utf8
    }

    /// The value of a digit; nil for another character.
    fileprivate func value(_ digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit &- 65)
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit &- 71)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit &+ 4)
        case self == .standard ? UInt8(ascii: "+") : UInt8(ascii: "-"): 62
        case self == .standard ? UInt8(ascii: "/") : UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

extension [UInt8] {
    /// The bytes that `text` stands for; nil for a character outside the alphabet, a line end, and
    /// a length or a padding that ``Base64`` does not have.
    ///
    /// - Parameter isLenient: Whether the unused bits of the last digit may be set. Otherwise only
    ///   one text stands for each value.
    package init?(_ base64: Base64, _ text: some StringProtocol, isLenient: Bool = false) {
        var digits = Array(text.utf8)
        if base64 == .standard {
            guard digits.count.isMultiple(of: 4) else { return nil }
            for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
        }
        guard digits.count % 4 != 1 else { return nil }
        self.init()
        reserveCapacity(digits.count / 4 * 3 + 2)
        var (bits, count): (UInt32, Int) = (0, 0)
        for digit in digits {
            guard let value = base64.value(digit) else { return nil }
            bits = bits << 6 | value
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            append(UInt8(truncatingIfNeeded: bits >> UInt32(truncatingIfNeeded: count)))
            bits &= (1 << UInt32(truncatingIfNeeded: count)) - 1
        }
        guard isLenient || bits == 0 else { return nil }
    }

    /// The bytes as text.
    package func text(in base64: Base64) -> String {
        let alphabet = base64.alphabet
        var text: [UInt8] = []
        text.reserveCapacity((count + 2) / 3 * 4)
        for start in stride(from: 0, to: count, by: 3) {
            let group = self[start...].prefix(3)
            var bits: UInt32 = 0
            for byte in group { bits = bits << 8 | UInt32(byte) }
            bits <<= UInt32(truncatingIfNeeded: 8 * (3 - group.count))
            for digit in 0...group.count {
                text.append(alphabet[Int(bits >> UInt32(truncatingIfNeeded: 18 - 6 * digit) & 0x3F)])
            }
            if base64 == .standard { text += [UInt8](repeating: UInt8(ascii: "="), count: 3 - group.count) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

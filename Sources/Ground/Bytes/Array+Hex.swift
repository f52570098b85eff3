/// Where a hexadecimal text stops being one.
public enum HexError: Error, Equatable, Sendable {
    /// `character` at `offset` (counted in Unicode scalars from the start of the text) is not a
    /// hexadecimal digit.
    case notADigit(character: Character, offset: Int)
    /// The text holds an odd number of digits, so its last byte is half.
    case oddNumberOfDigits(Int)
}

extension HexError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notADigit(let character, let offset):
            let isShown = character.asciiValue.map { (0x20...0x7E).contains($0) } == true
            let shown =
                isShown ? "\"\(character)\"" : character.isASCII ? "a control character" : "a character outside ASCII"
            return "\(shown) at position \(offset + 1) is not a hexadecimal digit"
        case .oddNumberOfDigits(let count):
            return "\(count) hexadecimal digits make no whole number of bytes"
        }
    }
}

extension Array where Element == UInt8 {
    /// The bytes written in `text`: two hexadecimal digits each, either case, white space anywhere
    /// between digits.
    public init(hex text: some StringProtocol) throws(HexError) {
        if let bytes = Self(hexDigits: Array(text.utf8).span) {
            self = bytes
            return
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        var offset = 0
        for scalar in text.unicodeScalars {
            if let digit = hexDigit(scalar) {
                if let first = high {
                    bytes.append(first << 4 | digit)
                    high = nil
                } else {
                    high = digit
                }
            } else if !scalar.properties.isWhitespace {
                throw .notADigit(character: Character(scalar), offset: offset)
            }
            offset += 1
        }
        guard high == nil else { throw .oddNumberOfDigits(bytes.count * 2 + 1) }
        self = bytes
    }

    /// The bytes written in `text`, ASCII; nil if it holds anything but pairs of hexadecimal
    /// digits.
    ///
    /// The quick way for long texts: nothing in the loop depends on what the letters are, so that
    /// sixteen and more of them are read at a time.
    public init?(hexDigits text: Span<UInt8>) {
        guard text.count % 2 == 0 else { return nil }
        let count = text.count / 2
        var all: UInt8 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            for index in 0..<count {
                let (high, low) = unsafe (nibble(text[unchecked: 2 &* index]), nibble(text[unchecked: 2 &* index &+ 1]))
                unsafe buffer[index] = high << 4 | low
                all |= high | low
            }
            initialized = count
        }
        guard all < 16 else { return nil }
        self = bytes
    }
}

/// The value of a hexadecimal digit, either case; `FF` for any other letter.
private func nibble(_ letter: UInt8) -> UInt8 {
    let (number, capital) = (letter &- 0x30, (letter & 0xDF) &- 0x41)
    return number < 10 ? number : capital < 6 ? capital &+ 10 : 0xFF
}

extension Sequence where Element == UInt8 {
    /// The bytes as upper-case hexadecimal digits, two a byte, nothing between them.
    @inlinable public var hex: String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * underestimatedCount)
        for byte in self {
            text.append(hexDigit(byte >> 4))
            text.append(hexDigit(byte & 0x0F))
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The digit, upper case, for a value of 0 to 15.
@inlinable func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 &+ value : 0x37 &+ value }

extension FixedWidthInteger where Self: UnsignedInteger {
    /// The integer as upper-case hexadecimal digits, two for each byte of its type.
    @inlinable public var hex: String {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> Self($0)) }.hex
    }
}

private func hexDigit(_ scalar: Unicode.Scalar) -> UInt8? {
    switch scalar {
    case "0"..."9": UInt8(truncatingIfNeeded: scalar.value - 0x30)
    case "A"..."F": UInt8(truncatingIfNeeded: scalar.value - 0x41 + 10)
    case "a"..."f": UInt8(truncatingIfNeeded: scalar.value - 0x61 + 10)
    default: nil
    }
}

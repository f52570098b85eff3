/// Where a hexadecimal text stops being one.
public enum HexError: Error, Equatable, Sendable {
    /// `character` at `offset` (counted in Unicode scalars from the start of the text) is no hexadecimal digit.
    case notADigit(character: Character, offset: Int)
    /// The text holds an odd number of digits, so its last byte is half.
    case oddNumberOfDigits(Int)
}

extension HexError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notADigit(let character, let offset):
            let shown = character.isASCII && !character.isNewline ? "\"\(character)\"" : "a character outside ASCII"
            return "\(shown) at position \(offset + 1) is not a hexadecimal digit"
        case .oddNumberOfDigits(let count):
            return "\(count) hexadecimal digits make no whole number of bytes"
        }
    }
}

extension Array where Element == UInt8 {
    /// The bytes written in `text`: two hexadecimal digits each, either case, white space anywhere between digits.
    public init(hex text: some StringProtocol) throws(HexError) {
        if let bytes = plainHex(Array(text.utf8)) {
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
}

extension Sequence where Element == UInt8 {
    /// The bytes as upper-case hexadecimal digits, two a byte, nothing between them.
    public var hex: String {
        String(decoding: flatMap { [hexDigits[Int($0 >> 4)], hexDigits[Int($0 & 0x0F)]] }, as: UTF8.self)
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// The integer as upper-case hexadecimal digits, two for each byte of its type.
    public var hex: String {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> Self($0)) }.hex
    }
}

private let hexDigits = Array("0123456789ABCDEF".utf8)

/// The bytes in a text of digits and spaces alone, which is what long ones are; nil for any other, to be looked at letter by letter.
private func plainHex(_ text: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 2)
    var high: UInt8?
    for letter in text {
        let digit: UInt8
        switch letter {
        case 0x30...0x39: digit = letter &- 0x30
        case 0x41...0x46: digit = letter &- 0x37
        case 0x61...0x66: digit = letter &- 0x57
        case 0x20: continue
        default: return nil
        }
        if let first = high {
            bytes.append(first << 4 | digit)
            high = nil
        } else {
            high = digit
        }
    }
    return high == nil ? bytes : nil
}

private func hexDigit(_ scalar: Unicode.Scalar) -> UInt8? {
    switch scalar {
    case "0"..."9": UInt8(scalar.value - 0x30)
    case "A"..."F": UInt8(scalar.value - 0x41 + 10)
    case "a"..."f": UInt8(scalar.value - 0x61 + 10)
    default: nil
    }
}

import Bytes

/// Hexadecimal digits in the forms of different tools: together, in pairs, with `0x`, commas,
/// colons or hyphens.
enum HexDigits {
    /// The bytes in `text`, or the error.
    static func bytes(_ text: some StringProtocol) -> Result<[UInt8], HexError> {
        var digits = ""
        digits.reserveCapacity(text.utf8.count)
        var isAfterZero = false
        for letter in text.unicodeScalars {
            switch letter {
            case ",", ":", "-", ";", "{", "}", " ", "\t":
                isAfterZero = false
            case "x" where isAfterZero, "X" where isAfterZero:
                digits.removeLast()
                isAfterZero = false
            default:
                digits.unicodeScalars.append(letter)
                isAfterZero = letter == "0"
            }
        }
        return Result { () throws(HexError) in try [UInt8](hex: digits) }
    }

    static func isByte(_ word: some StringProtocol) -> Bool {
        word.utf8.count == 2 && word.utf8.allSatisfy { isDigit($0) }
    }

    static func isDigit(_ letter: UInt8) -> Bool {
        (0x30...0x39).contains(letter) || (0x41...0x46).contains(letter) || (0x61...0x66).contains(letter)
    }
}

/// A line of a hexadecimal dump: up to sixteen bytes, then the same as characters.
enum HexDump {
    /// The bytes of a line; nil if the line is not of a dump. The characters after the bytes can
    /// look like digits, so their number determines the number of bytes.
    static func bytes(_ line: Substring) -> [UInt8]? {
        let words = line.split(separator: " ", omittingEmptySubsequences: true)
        let digits = words.prefix { HexDigits.isByte($0) }
        guard !digits.isEmpty else { return nil }
        let bytes = digits.prefix(16).compactMap { UInt8($0, radix: 16) }
        for count in stride(from: bytes.count, through: 1, by: -1) {
            let shown = bytes[..<count].map { (0x20...0x7E).contains($0) ? Character(Unicode.Scalar($0)) : "." }
            let after = line[digits[digits.startIndex + count - 1].endIndex...]
            if trimmed(after) == trimmed(Substring(String(shown))) { return Array(bytes[..<count]) }
        }
        return digits.count <= 16 && (digits.count == words.count || !HexDigits.isByte(words[digits.count]))
            ? bytes : nil
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }
}

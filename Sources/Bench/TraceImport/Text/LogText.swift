/// A log's lines with their numbers, without the escape sequences that color them.
struct LogText {
    struct Line {
        /// From 1.
        let number: Int
        let content: Substring
    }

    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Longer lines are truncated: no command or answer needs more.
    static let maximumLength = 1 << 19

    var lines: some Sequence<Line> {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).lazy.enumerated().map {
            index, line in
            let end = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            let text = String(decoding: end.prefix(Self.maximumLength), as: UTF8.self)
            return Line(number: index + 1, content: text.contains("\u{1B}") ? Self.withoutEscapes(text) : text[...])
        }
    }

    /// Without `ESC [ … letter`: colors, and movements of the cursor (ECMA-48, 5.4).
    private static func withoutEscapes(_ text: String) -> Substring {
        var plain = ""
        var rest = text[...]
        while let escape = rest.firstIndex(of: "\u{1B}") {
            plain += rest[..<escape]
            rest = rest[rest.index(after: escape)...]
            guard rest.first == "[" else { continue }
            rest = rest.dropFirst().drop { !$0.isLetter }.dropFirst()
        }
        return Substring(plain + rest)
    }
}

/// The mark at the beginning of a text that identifies its encoding (Unicode Standard, 23.8).
enum ByteOrderMark {
    private static let utf8: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let utf16LittleEndian: [UInt8] = [0xFF, 0xFE]
    private static let utf16BigEndian: [UInt8] = [0xFE, 0xFF]

    /// `bytes` in UTF-8 and without their mark; unchanged without a mark.
    static func inUTF8(_ bytes: [UInt8]) -> [UInt8] {
        if bytes.starts(with: utf8) { return Array(bytes[3...]) }
        guard bytes.starts(with: utf16LittleEndian) || bytes.starts(with: utf16BigEndian) else { return bytes }
        let (low, high) = bytes.starts(with: utf16LittleEndian) ? (0, 1) : (1, 0)
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map {
            UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + low])
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}

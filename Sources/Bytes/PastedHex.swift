extension Array where Element == UInt8 {
    /// The bytes in `text` as people paste them from other programs: pairs of digits with colons,
    /// commas, dashes or white space between them, in brackets or quotes, each with `0x` or `\\x`
    /// before it. A single digit after `0x` is a byte: `0x0`.
    ///
    /// - Throws: The first character that is neither a digit nor a separator.
    package init(pastedHex text: some StringProtocol) throws(HexError) {
        if let bytes = Self(hexDigits: Array<UInt8>(text.utf8).span) {
            self = bytes
            return
        }
        var digits = ""
        for group in text.split(whereSeparator: { $0.isWhitespace || Self.separators.contains($0) }) {
            var rest = group[...]
            while let prefix = Self.prefixes.first(where: { rest.hasPrefix($0) }) {
                rest = rest.dropFirst(prefix.count)
                // Bytes need no separator: `\x6F\x16`.
                let end = Self.prefixes.compactMap { rest.firstRange(of: $0)?.lowerBound }.min() ?? rest.endIndex
                digits += (rest[..<end].count == 1 ? "0" : "") + rest[..<end]
                rest = rest[end...]
            }
            digits += rest
        }
        try self.init(hex: digits)
    }

    private static var separators: Set<Character> {
        [":", ",", ";", "-", ".", "|", "[", "]", "{", "}", "(", ")", "<", ">", "\"", "'", "_"]
    }
    private static var prefixes: [String] { ["0x", "0X", "\\x", "\\X"] }
}

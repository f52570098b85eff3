extension Array where Element == UInt8 {
    /// The bytes in `text` as people paste them from other programs: pairs of digits with colons,
    /// commas, dashes or white space between them, in brackets or quotes, each with `0x` or `\x`
    /// before it. A single digit after such a prefix is a byte: `0x0`.
    ///
    /// - Throws: The first character that is neither a digit nor a separator, by its place in
    ///   `text`.
    package init(pastedHex text: some StringProtocol) throws(HexError) {
        if let bytes = Self(hexDigits: Array<UInt8>(text.utf8).span) {
            self = bytes
            return
        }
        let characters = Array<Character>(text)
        var digits = ""
        /// Since the last prefix; nil where there was none, or a separator since then.
        var digitsOfByte: [Character]?
        func endByte() {
            guard let digit = digitsOfByte else { return }
            digits += (digit.count == 1 ? "0" : "") + String(digit)
            digitsOfByte = nil
        }
        var at = 0
        while at < characters.count {
            let character = characters[at]
            if at + 1 < characters.count, "xX".contains(characters[at + 1]), character == "0" || character == "\\" {
                endByte()
                digitsOfByte = []
                at += 2
                continue
            }
            if character.isWhitespace || Self.separators.contains(character) {
                endByte()
            } else if !character.isASCII || !character.isHexDigit {
                throw .notADigit(character: character, offset: at)
            } else if digitsOfByte?.append(character) == nil {
                digits.append(character)
            }
            at += 1
        }
        endByte()
        try self.init(hex: digits)
    }

    private static var separators: Set<Character> {
        [":", ",", ";", "-", ".", "|", "[", "]", "{", "}", "(", ")", "<", ">", "\"", "'", "_"]
    }
}

extension CodeTable {
    /// ISO/IEC 8859-3: Latin 3, South European; a row is sixteen characters, from `A0` on.
    private static let latin3Characters = Array(
        ("\u{A0}Ħ˘£¤\u{FFFD}Ĥ§¨İŞĞĴ\u{AD}\u{FFFD}Ż"
            + "°ħ²³´µĥ·¸ışğĵ½\u{FFFD}ż"
            + "ÀÁÂ\u{FFFD}ÄĊĈÇÈÉÊËÌÍÎÏ"
            + "\u{FFFD}ÑÒÓÔĠÖ×ĜÙÚÛÜŬŜß"
            + "àáâ\u{FFFD}äċĉçèéêëìíîï"
            + "\u{FFFD}ñòóôġö÷ĝùúûüŭŝ˙").unicodeScalars)

    static func latin3(_ byte: UInt8) -> Unicode.Scalar? { entry(byte, of: latin3Characters) }
}

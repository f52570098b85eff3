extension CodeTable {
    /// ISO/IEC 8859-4: Latin 4, North European; a row is sixteen characters, from `A0` on.
    private static let latin4Characters = Array(
        ("\u{A0}ĄĸŖ¤ĨĻ§¨ŠĒĢŦ\u{AD}Ž¯"
            + "°ą˛ŗ´ĩļˇ¸šēģŧŊžŋ"
            + "ĀÁÂÃÄÅÆĮČÉĘËĖÍÎĪ"
            + "ĐŅŌĶÔÕÖ×ØŲÚÛÜŨŪß"
            + "āáâãäåæįčéęëėíîī"
            + "đņōķôõö÷øųúûüũū˙").unicodeScalars)

    static func latin4(_ byte: UInt8) -> Unicode.Scalar? { entry(byte, of: latin4Characters) }
}

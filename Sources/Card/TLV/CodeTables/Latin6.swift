extension CodeTable {
    /// ISO/IEC 8859-10: Latin 6, Nordic; a row is sixteen characters, from `A0` on.
    private static let latin6Characters = Array(
        ("\u{A0}ĄĒĢĪĨĶ§ĻĐŠŦŽ\u{AD}ŪŊ"
            + "°ąēģīĩķ·ļđšŧž―ūŋ"
            + "ĀÁÂÃÄÅÆĮČÉĘËĖÍÎÏ"
            + "ÐŅŌÓÔÕÖŨØŲÚÛÜÝÞß"
            + "āáâãäåæįčéęëėíîï"
            + "ðņōóôõöũøųúûüýþĸ").unicodeScalars)

    static func latin6(_ byte: UInt8) -> Unicode.Scalar? { entry(byte, of: latin6Characters) }
}

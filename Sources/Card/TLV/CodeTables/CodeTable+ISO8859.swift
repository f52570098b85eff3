extension CodeTable {
    /// ISO/IEC 8859-2: Latin 2, Central European; a row is sixteen characters, from `A0` on.
    private static let latin2Characters = Array(
        ("\u{A0}Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u{AD}ŽŻ"
            + "°ą˛ł´ľśˇ¸šşťź˝žż"
            + "ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎ"
            + "ĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß"
            + "ŕáâăäĺćçčéęëěíîď"
            + "đńňóôőö÷řůúűüýţ˙").unicodeScalars)

    static func latin2(_ byte: UInt8) -> Unicode.Scalar? { entry(byte, of: latin2Characters) }
}

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

extension CodeTable {
    /// ISO/IEC 8859-9: Latin 5, Turkish: part 1 with six letters exchanged.
    static func latin5(_ byte: UInt8) -> Unicode.Scalar? {
        switch byte {
        case 0xD0: "Ğ"
        case 0xDD: "İ"
        case 0xDE: "Ş"
        case 0xF0: "ğ"
        case 0xFD: "ı"
        case 0xFE: "ş"
        default: Unicode.Scalar(byte)
        }
    }
}

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

extension CodeTable {
    /// ISO/IEC 8859-5: Cyrillic, which Unicode has in the same order.
    static func cyrillic(_ byte: UInt8) -> Unicode.Scalar? {
        switch byte {
        case 0xA0, 0xAD: Unicode.Scalar(byte)
        case 0xF0: "\u{2116}"
        case 0xFD: "\u{A7}"
        default: Unicode.Scalar(0x0360 + UInt32(byte))
        }
    }
}

extension CodeTable {
    /// ISO/IEC 8859-6: Arabic, which Unicode has in the same order.
    static func arabic(_ byte: UInt8) -> Unicode.Scalar? {
        switch byte {
        case 0xA0, 0xA4, 0xAD: Unicode.Scalar(byte)
        case 0xAC, 0xBB, 0xBF, 0xC1...0xDA, 0xE0...0xF2: Unicode.Scalar(0x0560 + UInt32(byte))
        default: nil
        }
    }
}

extension CodeTable {
    /// ISO/IEC 8859-7, edition of 2003: Greek, whose letters have the same order in Unicode.
    static func greek(_ byte: UInt8) -> Unicode.Scalar? {
        switch byte {
        case 0xA1: "\u{2018}"
        case 0xA2: "\u{2019}"
        case 0xA4: "\u{20AC}"
        case 0xA5: "\u{20AF}"
        case 0xAA: "\u{037A}"
        case 0xAF: "\u{2015}"
        case 0xA0, 0xA3, 0xA6...0xA9, 0xAB...0xAD, 0xB0...0xB3, 0xB7, 0xBB, 0xBD: Unicode.Scalar(byte)
        case 0xAE, 0xD2, 0xFF: nil
        default: Unicode.Scalar(0x02D0 + UInt32(byte))
        }
    }
}

extension CodeTable {
    /// ISO/IEC 8859-8, edition of 1999: Hebrew, whose letters have the same order in Unicode, and
    /// two marks of direction.
    static func hebrew(_ byte: UInt8) -> Unicode.Scalar? {
        switch byte {
        case 0xAA: "\u{D7}"
        case 0xBA: "\u{F7}"
        case 0xA0, 0xA2...0xBE: Unicode.Scalar(byte)
        case 0xDF: "\u{2017}"
        case 0xE0...0xFA: Unicode.Scalar(0x04F0 + UInt32(byte))
        case 0xFD: "\u{200E}"
        case 0xFE: "\u{200F}"
        default: nil
        }
    }
}

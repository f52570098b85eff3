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

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

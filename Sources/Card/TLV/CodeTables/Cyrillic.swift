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

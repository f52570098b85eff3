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

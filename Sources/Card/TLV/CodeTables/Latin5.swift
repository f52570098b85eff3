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

/// The mark at the beginning of a text that identifies its encoding (Unicode Standard, 23.8).
enum ByteOrderMark {
    private static let utf8: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let utf16LittleEndian: [UInt8] = [0xFF, 0xFE]
    private static let utf16BigEndian: [UInt8] = [0xFE, 0xFF]

    /// `bytes` in UTF-8 and without their mark; unchanged without a mark.
    static func inUTF8(_ bytes: [UInt8]) -> [UInt8] {
        if bytes.starts(with: utf8) { return Array(bytes[3...]) }
        guard bytes.starts(with: utf16LittleEndian) || bytes.starts(with: utf16BigEndian) else { return bytes }
        let (low, high) = bytes.starts(with: utf16LittleEndian) ? (0, 1) : (1, 0)
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + low]) }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}

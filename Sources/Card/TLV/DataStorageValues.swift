/// The bits of the data objects of Mastercard's data storage (EMV Contactless Book C-2, annex A.1).
enum DataStorageValues {
    private static let bits: [Tag: KernelBits] = [
        0x9F5F: KernelBits([(0x80, "permanent slot type"), (0x40, "volatile slot type")]),
        0x9F6F: KernelBits([
            (0x80, "permanent slot type"), (0x40, "volatile slot type"), (0x20, "low volatility"), (0x10, "locked slot"),
            (0x01, "deactivated slot"),
        ]),
        0xDF62: KernelBits([
            (0x80, "permanent slot type"), (0x40, "volatile slot type"), (0x20, "low volatility"),
            (0x08, "decline the payment if the data cannot be stored"),
        ]),
        0xDF810A: KernelBits([
            (0x80, "usable for TC"), (0x40, "usable for ARQC"), (0x20, "usable for AAC"), (0x04, "stop if there is no DS ODS (term)"),
            (0x02, "stop if the write failed"),
        ]),
        0xDF810B: KernelBits([(0x80, "successful read"), (0x40, "successful write")]), 0xDF810E: KernelBits([(0x80, "completed")]),
        0xDF810F: KernelBits([(0x80, "completed")]), 0xDF8128: KernelBits([(0x80, "read"), (0x40, "write")]),
    ]

    /// Nil for a tag without bits.
    static func lines(_ tag: Tag, _ value: [UInt8]) -> [String]? {
        if tag == 0xDF8108, value.count == 1 { return [CryptogramType(rawValue: value[0]).map { "\($0)".uppercased() } ?? "no cryptogram"] }
        return bits[tag]?.lines(value)
    }
}

/// The bits of the data objects of Mastercard's data storage (EMV Contactless Book C-2, annex A.1).
enum DataStorageValues {
    private static let bits: [Tag: [(UInt8, String)]] = [
        0x9F5F: [(0x80, "permanent slot type"), (0x40, "volatile slot type")],
        0x9F6F: [
            (0x80, "permanent slot type"), (0x40, "volatile slot type"), (0x20, "low volatility"), (0x10, "locked slot"),
            (0x01, "deactivated slot"),
        ],
        0xDF62: [
            (0x80, "permanent slot type"), (0x40, "volatile slot type"), (0x20, "low volatility"),
            (0x08, "decline the payment if the data cannot be stored"),
        ],
        0xDF810A: [
            (0x80, "usable for TC"), (0x40, "usable for ARQC"), (0x20, "usable for AAC"), (0x04, "stop if there is no DS ODS (term)"),
            (0x02, "stop if the write failed"),
        ],
        0xDF810B: [(0x80, "successful read"), (0x40, "successful write")], 0xDF810E: [(0x80, "completed")],
        0xDF810F: [(0x80, "completed")], 0xDF8128: [(0x80, "read"), (0x40, "write")],
    ]

    /// Nil for a tag without bits.
    static func lines(_ tag: Tag, _ value: [UInt8]) -> [String]? {
        if tag == 0xDF8108, value.count == 1 { return [CryptogramType(rawValue: value[0]).map { "\($0)".uppercased() } ?? "no cryptogram"] }
        guard let bits = bits[tag] else { return nil }
        guard value.count == 1 else { return ["not 1 byte long"] }
        let set = bits.filter { value[0] & $0.0 != 0 }.map(\.1)
        return set.isEmpty ? ["no bit set"] : set
    }
}

private import Bytes

/// The meanings of the values of Mastercard's contactless data objects, of the card and of kernel 2
/// (EMV Contactless Book C-2, annex A.1).
enum Kernel2Values {
    /// Nil for a tag whose value has no meaning beyond its bytes.
    static func lines(_ tag: Tag, _ value: [UInt8], _ context: ValueContext) -> [String]? {
        if let bits = bits[tag] { return bits.lines(value) }
        return switch tag.rawValue {
        case 0x9F51, 0x9F5B, 0x9F69, 0xDF811A: ValueDescription.dol(value, context)
        case 0xDF8106, 0xDF8112: ValueDescription.tagList(value, context)
        case 0x9F68: ValueDescription.cvmList(value, context)
        case 0x9F50, 0xDF8104, 0xDF8105, 0xDF8123...0xDF8126: NumberDescription.amount(value, context)
        case 0x9F62, 0x9F65: positions(value, "CVC3 goes to")
        case 0x9F63, 0x9F66: positions(value, "unpredictable number and ATC go to")
        case 0x9F64, 0x9F67: number(value).map { ["\($0) digit\($0 == 1 ? "" : "s") of the ATC"] }
        case 0x9F6C, 0x9F6D: number(value).map { ["version \($0)"] } ?? []
        case 0xDF8114: value.count == 1 ? referenceControl(value[0]) : nil
        case 0xDF8115: OutcomeValues.errorIndication(value)
        case 0xDF8116: OutcomeValues.userInterfaceRequest(value, context)
        case 0xDF811C: number(value).map { ["\($0) s"] }
        case 0xDF811E, 0xDF812C: value.count == 1 ? [verification(value[0])] : nil
        case 0xDF8120, 0xDF8121, 0xDF8122: ValueDescription.lines(.issuerActionCodeDenial, value, in: context)
        case 0xDF8127: number(value).map { ["\($0) ms"] }
        case 0xDF8129: OutcomeValues.parameters(value)
        case 0xDF812D: BCD.number(value).map { ["\($0) × 100 ms"] }
        case 0xDF8130: number(value).map { ["\($0) × 100 ms"] }
        case 0xDF8132...0xDF8136, 0xDF8303...0xDF8306: number(value).map { ["\($0) × 100 µs"] }
        case 0xDF8137: number(value).map { ["\($0) %"] }
        default: DataStorageValues.lines(tag, value)
        }
    }

    // MARK: Bits

    private static let bits: [Tag: KernelBits] = [
        0x9F7E: KernelBits([(0x02, "on-device CVM required"), (0x01, "mobile supported")]),
        0xDF4B: KernelBits(
            count: 3,
            [
                (2, 0x10, "on-device CVM successful"), (2, 0x08, "context is conflicting"),
                (2, 0x04, "PIN change required"),
                (2, 0x02, "acknowledgement required"), (2, 0x01, "on-device CVM required"),
            ]),
        0xDF8117: KernelBits([(0x80, "manual key entry"), (0x40, "magnetic stripe"), (0x20, "IC with contacts")]),
        0xDF8118: cvmCapability, 0xDF8119: cvmCapability,
        0xDF811B: KernelBits([
            (0x80, "mag-stripe mode not supported"), (0x40, "EMV mode not supported"),
            (0x20, "on-device CVM supported"),
            (0x10, "relay resistance protocol supported"), (0x04, "all records are read even without CDA"),
        ]),
        0xDF811F: KernelBits([(0x80, "SDA"), (0x40, "DDA"), (0x20, "card capture"), (0x08, "CDA")]),
    ]

    private static let cvmCapability = KernelBits([
        (0x80, "plaintext PIN for ICC verification"), (0x40, "enciphered PIN for online verification"),
        (0x20, "signature"),
        (0x10, "enciphered PIN for offline verification"), (0x08, "no CVM required"),
    ])

    // MARK: Numbers

    private static func number(_ value: [UInt8]) -> UInt64? {
        (1...8).contains(value.count) ? value.reduce(0) { $0 << 8 | UInt64($1) } : nil
    }

    /// A bit for each position of the track's discretionary data, the last one in bit 1.
    private static func positions(_ value: [UInt8], _ what: String) -> [String] {
        guard let bits = number(value) else { return [] }
        let positions = (0..<8 * value.count).filter { bits >> $0 & 1 == 1 }.map { "\($0 + 1)" }
        guard !positions.isEmpty else { return ["\(what) no position"] }
        return ["\(what) position\(positions.count == 1 ? "" : "s") \(positions.joined(separator: ", ")) from the end"]
    }

    // MARK: Verification, cryptogram

    /// Bits 8 to 5 of the mag-stripe CVM capabilities.
    private static func verification(_ value: UInt8) -> String {
        switch value & 0xF0 {
        case 0x00: "no CVM"
        case 0x10: "obtain signature"
        case 0x20: "online PIN"
        case 0xF0: "not applicable"
        default: "reserved"
        }
    }

    private static func referenceControl(_ value: UInt8) -> [String] {
        let type = CryptogramType(rawValue: value & 0xC0).map { "\($0)".uppercased() } ?? "reserved cryptogram type"
        return ["\(type) requested" + (value & 0x10 == 0 ? "" : ", with CDA")]
    }
}

/// The bits of the data objects of Mastercard's data storage (EMV Contactless Book C-2, annex A.1).
enum DataStorageValues {
    private static let bits: [Tag: KernelBits] = [
        0x9F5F: KernelBits([(0x80, "permanent slot type"), (0x40, "volatile slot type")]),
        0x9F6F: KernelBits([
            (0x80, "permanent slot type"), (0x40, "volatile slot type"), (0x20, "low volatility"),
            (0x10, "locked slot"),
            (0x01, "deactivated slot"),
        ]),
        0xDF62: KernelBits([
            (0x80, "permanent slot type"), (0x40, "volatile slot type"), (0x20, "low volatility"),
            (0x08, "decline the payment if the data cannot be stored"),
        ]),
        0xDF810A: KernelBits([
            (0x80, "usable for TC"), (0x40, "usable for ARQC"), (0x20, "usable for AAC"),
            (0x04, "stop if there is no DS ODS (term)"),
            (0x02, "stop if the write failed"),
        ]),
        0xDF810B: KernelBits([(0x80, "successful read"), (0x40, "successful write")]),
        0xDF810E: KernelBits([(0x80, "completed")]),
        0xDF810F: KernelBits([(0x80, "completed")]), 0xDF8128: KernelBits([(0x80, "read"), (0x40, "write")]),
    ]

    /// Nil for a tag without bits.
    static func lines(_ tag: Tag, _ value: [UInt8]) -> [String]? {
        if tag == 0xDF8108, value.count == 1 {
            return [CryptogramType(rawValue: value[0]).map { "\($0)".uppercased() } ?? "no cryptogram"]
        }
        return bits[tag]?.lines(value)
    }
}

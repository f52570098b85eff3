private import Bytes

/// The meanings of the values of Mastercard's contactless data objects, of the card and of kernel 2
/// (EMV Contactless Book C-2, annex A.1).
enum Kernel2Values {
    /// Nil for a tag whose value has no meaning beyond its bytes.
    static func lines(_ tag: Tag, _ value: [UInt8], _ context: ValueContext) -> [String]? {
        if let bits = bits[tag] { return flags(value, bits) }
        return switch tag.rawValue {
        case 0x9F51, 0x9F5B, 0x9F69, 0xDF811A: ValueDescription.dol(value, context)
        case 0xDF8106, 0xDF8112: ValueDescription.tagList(value, context)
        case 0x9F68: ValueDescription.cvmList(value, context)
        case 0x9F50, 0xDF8104, 0xDF8105, 0xDF8123...0xDF8126: amount(value, context)
        case 0x9F62, 0x9F65: positions(value, "CVC3 goes to")
        case 0x9F63, 0x9F66: positions(value, "unpredictable number and ATC go to")
        case 0x9F64, 0x9F67: number(value).map { ["\($0) digit\($0 == 1 ? "" : "s") of the ATC"] }
        case 0x9F6C, 0x9F6D: number(value).map { ["version \($0)"] } ?? []
        case 0xDF8114: value.count == 1 ? referenceControl(value[0]) : nil
        case 0xDF8115: errorIndication(value)
        case 0xDF8116: userInterfaceRequest(value, context)
        case 0xDF811C: number(value).map { ["\($0) s"] }
        case 0xDF811E, 0xDF812C: value.count == 1 ? [verification(value[0])] : nil
        case 0xDF8120, 0xDF8121, 0xDF8122: ValueDescription.lines(.issuerActionCodeDenial, value, in: context)
        case 0xDF8127: number(value).map { ["\($0) ms"] }
        case 0xDF8129: outcome(value)
        case 0xDF812D: BCD.number(value).map { ["\($0) × 100 ms"] }
        case 0xDF8130: number(value).map { ["\($0) × 100 ms"] }
        case 0xDF8132...0xDF8136, 0xDF8303...0xDF8306: number(value).map { ["\($0) × 100 µs"] }
        case 0xDF8137: number(value).map { ["\($0) %"] }
        default: DataStorageValues.lines(tag, value)
        }
    }

    // MARK: Bits

    /// The bits of values that are nothing else, by the number of the byte and the bit's mask.
    private static let bits: [Tag: (count: Int, meanings: [(byte: Int, mask: UInt8, meaning: String)])] = [
        0x9F7E: (1, [(1, 0x02, "on-device CVM required"), (1, 0x01, "mobile supported")]),
        0xDF4B: (
            3,
            [
                (2, 0x10, "on-device CVM successful"), (2, 0x08, "context is conflicting"), (2, 0x04, "PIN change required"),
                (2, 0x02, "acknowledgement required"), (2, 0x01, "on-device CVM required"),
            ]
        ),
        0xDF8117: (1, [(1, 0x80, "manual key entry"), (1, 0x40, "magnetic stripe"), (1, 0x20, "IC with contacts")]),
        0xDF8118: (1, cvmCapability), 0xDF8119: (1, cvmCapability),
        0xDF811B: (
            1,
            [
                (1, 0x80, "mag-stripe mode not supported"), (1, 0x40, "EMV mode not supported"), (1, 0x20, "on-device CVM supported"),
                (1, 0x10, "relay resistance protocol supported"), (1, 0x04, "all records are read even without CDA"),
            ]
        ),
        0xDF811F: (1, [(1, 0x80, "SDA"), (1, 0x40, "DDA"), (1, 0x20, "card capture"), (1, 0x08, "CDA")]),
    ]

    private static let cvmCapability: [(byte: Int, mask: UInt8, meaning: String)] = [
        (1, 0x80, "plaintext PIN for ICC verification"), (1, 0x40, "enciphered PIN for online verification"), (1, 0x20, "signature"),
        (1, 0x10, "enciphered PIN for offline verification"), (1, 0x08, "no CVM required"),
    ]

    private static func flags(
        _ value: [UInt8], _ field: (count: Int, meanings: [(byte: Int, mask: UInt8, meaning: String)])
    ) -> [String] {
        guard value.count == field.count else { return ["not \(field.count) byte\(field.count == 1 ? "" : "s") long"] }
        let set = field.meanings.filter { value[$0.byte - 1] & $0.mask != 0 }.map(\.meaning)
        return set.isEmpty ? ["no bit set"] : set
    }

    // MARK: Numbers

    private static func number(_ value: [UInt8]) -> UInt64? {
        (1...8).contains(value.count) ? value.reduce(0) { $0 << 8 | UInt64($1) } : nil
    }

    private static func amount(_ value: [UInt8], _ context: ValueContext) -> [String] {
        BCD.number(value).map { [NumberDescription.amount($0, context.applicationCurrency ?? context.currency)] } ?? ["not decimal"]
    }

    /// A bit for each position of the track's discretionary data, the last one in bit 1.
    private static func positions(_ value: [UInt8], _ what: String) -> [String] {
        guard let bits = number(value) else { return [] }
        let positions = (0..<8 * value.count).filter { bits >> UInt64($0) & 1 == 1 }.map { "\($0 + 1)" }
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

    // MARK: Outcome

    private static func errorIndication(_ value: [UInt8]) -> [String] {
        guard value.count == 6 else { return ["not 6 bytes long"] }
        let layer1 = ["", "time out", "transmission error", "protocol error"]
        let layer2 = [
            "", "card data missing", "CAM failed", "status bytes", "parsing error", "maximum limit exceeded", "card data error",
            "mag-stripe not supported", "no PPSE", "PPSE fault", "empty candidate list", "IDS read error", "IDS write error",
            "IDS data error", "IDS no matching AC", "terminal data error",
        ]
        let layer3 = ["", "time out", "stop", "amount not present"]
        let errors = zip(["L1", "L2", "L3"], [layer1, layer2, layer3]).enumerated().compactMap { place, layer -> String? in
            let code = Int(value[place])
            return code == 0 ? nil : "\(layer.0): \(code < layer.1.count ? layer.1[code] : "reserved")"
        }
        let status = value[3] == 0 && value[4] == 0 ? [] : ["status word \(value[3...4].hex)"]
        let shown = value[5] == 0xFF ? [] : ["message \(message(value[5]))"]
        return (errors.isEmpty ? ["no error"] : errors) + status + shown
    }

    private static func outcome(_ value: [UInt8]) -> [String] {
        guard value.count == 8 else { return ["not 8 bytes long"] }
        let status: [UInt8: String] = [
            0x10: "approved", 0x20: "declined", 0x30: "online request", 0x40: "end application", 0x50: "select next",
            0x60: "try another interface", 0x70: "try again", 0xF0: "no outcome yet",
        ]
        let start: [UInt8: String] = [0x00: "start A", 0x10: "start B", 0x20: "start C", 0x30: "start D"]
        let methods: [UInt8: String] = [
            0x00: "no CVM", 0x10: "signature", 0x20: "online PIN", 0x30: "confirmation code verified",
        ]
        let flags: [(UInt8, String)] = [
            (0x80, "UI request on outcome"), (0x40, "UI request on restart"), (0x20, "data record present"),
            (0x10, "discretionary data present"), (0x08, "receipt"),
        ]
        func optional(_ value: UInt8, _ name: String, _ names: [UInt8: String] = [:]) -> [String] {
            value & 0xF0 == 0xF0 ? [] : ["\(name)\(names[value & 0xF0] ?? "reserved")"]
        }
        return [status[value[0] & 0xF0] ?? "reserved outcome"] + optional(value[1], "", start)
            + optional(value[2], "online response data: ") + optional(value[3], "CVM: ", methods)
            + flags.filter { value[4] & $0.0 != 0 }.map(\.1) + optional(value[5], "alternate interface: ")
            + (value[6] == 0xFF ? [] : ["field off for \(value[6]) × 100 ms"])
            + (value[7] == 0 ? [] : ["removal timeout \(value[7]) × 100 ms"])
    }

    private static func userInterfaceRequest(_ value: [UInt8], _ context: ValueContext) -> [String] {
        guard value.count == 22 else { return ["not 22 bytes long"] }
        let statuses = ["not ready", "idle", "ready to read", "processing", "card read successfully", "processing error"]
        let status = Int(value[1])
        let language = value[5..<13].prefix { $0 != 0 }
        let currency = BCD.number(value[20...])
        let amount = BCD.number(value[14..<20]).map { NumberDescription.amount($0, currency == 0 ? context.currency : currency) }
        return ["message \(message(value[0]))"]
            + (value[1] == 0xFF ? [] : ["status \(status < statuses.count ? statuses[status] : "reserved")"])
            + [BCD.number(value[2..<5]).map { "held for \($0) × 100 ms" } ?? "hold time is not decimal"]
            + (language.isEmpty ? [] : ["language preference \"\(ValueDescription.printable(Array(language)))\""])
            + (value[13] & 0xF0 == 0x10 ? ["amount \(amount ?? "not decimal")"] : [])
            + (value[13] & 0xF0 == 0x20 ? ["balance \(amount ?? "not decimal")"] : [])
    }

    /// EMV Contactless Book A, table 9-4.
    private static func message(_ identifier: UInt8) -> String {
        let texts: [UInt8: String] = [
            0x03: "Approved", 0x07: "Not authorised", 0x09: "Please enter your PIN", 0x0F: "Processing error", 0x10: "Please remove card",
            0x14: "Welcome", 0x15: "Present card", 0x16: "Processing", 0x17: "Card read OK, please remove card",
            0x18: "Please insert or swipe card", 0x19: "Please present one card only", 0x1A: "Approved, please sign",
            0x1B: "Authorising, please wait", 0x1C: "Insert, swipe or try another card", 0x1D: "Please insert card",
            0x1E: "no message", 0x20: "See phone for instructions", 0x21: "Present card again", 0xFF: "not applicable",
        ]
        return "\([identifier].hex)" + (texts[identifier].map { ", \($0)" } ?? "")
    }
}

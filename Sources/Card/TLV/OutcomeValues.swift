private import Bytes

/// The meanings of the data objects in which kernels 2 and 8 hand over an outcome.
enum OutcomeValues {
    /// Where it went wrong (L1 to L3), status word and message (EMV Contactless Book C-2, A.1,
    /// DF8115).
    ///
    /// - Parameter others: The kernel's own codes of L2.
    static func errorIndication(_ value: [UInt8], others: [UInt8: String] = [:]) -> [String] {
        guard value.count == 6 else { return [WrongLength.line("6")] }
        let layer1 = ["", "time out", "transmission error", "protocol error"]
        let layer2 = [
            "", "card data missing", "CAM failed", "status bytes", "parsing error", "maximum limit exceeded",
            "card data error", "mag-stripe not supported", "no PPSE", "PPSE fault", "empty candidate list",
            "IDS read error", "IDS write error", "IDS data error", "IDS no matching AC", "terminal data error",
        ]
        let layer3 = ["", "time out", "stop", "amount not present"]
        let errors = zip(["L1", "L2", "L3"], [layer1, layer2, layer3]).enumerated().compactMap {
            place, layer -> String? in
            let code = Int(value[place])
            let other = place == 1 ? others[value[place]] : nil
            return code == 0
                ? nil : "\(layer.0): \(code < layer.1.count ? layer.1[code] : other ?? "code \([value[place]].hex)")"
        }
        let status = value[3] == 0 && value[4] == 0 ? [] : ["status word \(value[3...4].hex)"]
        let shown = value[5] == 0xFF ? [] : ["message \(message(value[5]))"]
        return (errors.isEmpty ? ["no error"] : errors) + status + shown
    }

    /// Outcome Parameter Set (EMV Contactless Book C-2, A.1, DF8129). `F` in a field means not
    /// applicable.
    static func parameters(_ value: [UInt8]) -> [String] {
        guard value.count == 8 else { return [WrongLength.line("8")] }
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

    /// Message, status, hold time, language and amount (EMV Contactless Book C-2, A.1, DF8116).
    static func userInterfaceRequest(_ value: [UInt8], _ context: ValueContext) -> [String] {
        guard value.count == 22 else { return [WrongLength.line("22")] }
        let statuses = [
            "not ready", "idle", "ready to read", "processing", "card read successfully", "processing error",
        ]
        let status = Int(value[1])
        let language = value[5..<13].prefix { $0 != 0 }
        let currency = BCD.number(value[20...])
        let amount = BCD.number(value[14..<20]).map {
            NumberDescription.amount($0, currency == 0 ? context.currency : currency)
        }
        return ["message \(message(value[0]))"]
            + (value[1] == 0xFF ? [] : ["status \(status < statuses.count ? statuses[status] : "reserved")"])
            + [BCD.number(value[2..<5]).map { "held for \($0) × 100 ms" } ?? "hold time is not decimal"]
            + (language.isEmpty ? [] : ["language preference \"\(ValueDescription.printable(Array(language)))\""])
            + (value[13] & 0xF0 == 0x10 ? ["amount \(amount ?? "not decimal")"] : [])
            + (value[13] & 0xF0 == 0x20 ? ["balance \(amount ?? "not decimal")"] : [])
    }

    /// EMV Contactless Book A, 9.4.
    static func message(_ identifier: UInt8) -> String {
        let texts: [UInt8: String] = [
            0x03: "Approved", 0x07: "Not authorised", 0x09: "Please enter your PIN", 0x0F: "Processing error",
            0x10: "Please remove card", 0x14: "Welcome", 0x15: "Present card", 0x16: "Processing",
            0x17: "Card read OK, please remove card", 0x18: "Please insert or swipe card",
            0x19: "Please present one card only", 0x1A: "Approved, please sign", 0x1B: "Authorising, please wait",
            0x1C: "Insert, swipe or try another card", 0x1D: "Please insert card", 0x1E: "no message",
            0x20: "See phone for instructions", 0x21: "Present card again", 0xFF: "not applicable",
        ]
        return "\([identifier].hex)" + (texts[identifier].map { ", \($0)" } ?? "")
    }
}

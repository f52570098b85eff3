private import Bytes

/// The meanings of the values of kernel 8's data objects (EMV Contactless Book C-8, annex A, as its
/// only open implementation has it: Digrol/Denom).
enum Kernel8Values {
    /// Nil for any other tag.
    static func lines(_ tag: Tag, _ value: [UInt8]) -> [String]? {
        switch tag {
        case .kernelQualifier: kernelQualifier(value)
        case .cardQualifier: cardQualifier(value)
        case .cardholderVerificationDecision: value.count == 1 ? [decision(value[0])] : [WrongLength.line("1")]
        case .restartIndicator: restart(value)
        case .errorIndication:
            OutcomeValues.errorIndication(
                value, others: [0x10: "decryption failed", 0x12: "wrong IAD MAC", 0x13: "wrong EDA MAC"])
        default: nil
        }
    }

    /// The lines of a field of bits that EMV defines and of which kernel 8 uses some for itself;
    /// nil for other kernels and other tags.
    static func fields(_ tag: Tag, _ value: [UInt8], _ context: ValueContext) -> [String]? {
        guard context.kernel == 8, let bits = bits[tag] else { return nil }
        guard value.count == bits.count else { return [WrongLength.line("\(bits.count)")] }
        let lines: [String] =
            switch tag {
            case .applicationInterchangeProfile: bits.meanings(value, in: ApplicationInterchangeProfile.self)
            case .terminalCapabilities: bits.meanings(value, in: TerminalCapabilities.self)
            default:
                bits.meanings(Array(value[..<4]) + [value[4] & 0xF0], in: TerminalVerificationResults.self)
                    + ValueDescription.relayResistance(value[4], isResults: true)
            }
        return lines.isEmpty ? [tag == .applicationInterchangeProfile ? "nothing supported" : "none"] : lines
    }

    /// TVR: EMV Contactless Book C-8, A.1.131.
    private static let bits: [Tag: KernelBits] = [
        .applicationInterchangeProfile: KernelBits(
            count: 2,
            [
                (1, 0x01, "Local authentication is supported"), (2, 0x08, "Offline capable"),
                (2, 0x04, "IAD MAC is copied to the card's offset"),
                (2, 0x02, "IAD MAC is copied to the default offset"),
                (2, 0x01, "Relay resistance protocol is supported"),
            ]),
        .terminalCapabilities: KernelBits(count: 3, [(3, 0x10, "Local authentication supported")]),
        .terminalVerificationResults: KernelBits(
            count: 5,
            [
                (1, 0x80, "Local authentication was not performed"), (1, 0x04, "Local authentication failed"),
                (5, 0x80, "Format of kernel 8"), (5, 0x40, "AID mismatch"),
            ]),
    ]

    private static func kernelQualifier(_ value: [UInt8]) -> [String] {
        guard value.count == 8 else { return [WrongLength.line("8")] }
        return ["version \(value[...0].hex)"] + (value[1] & 0x80 == 0 ? [] : ["local authentication supported"])
    }

    private static func cardQualifier(_ value: [UInt8]) -> [String] {
        guard value.count == 7 else { return [WrongLength.line("7")] }
        return ["version \(value[...0].hex)"] + (value[4] & 0x80 == 0 ? [] : ["field off requested"])
    }

    private static func decision(_ value: UInt8) -> String {
        let decisions: [UInt8: String] = [
            0x00: "no CVM required", 0x01: "signature", 0x02: "online PIN", 0x03: "verified on the consumer's device",
            0x0F: "not applicable", 0xFF: "failed",
        ]
        return decisions[value] ?? "reserved"
    }

    private static func restart(_ value: [UInt8]) -> [String] {
        guard (2...5).contains(value.count) else { return [WrongLength.line("2 to 5")] }
        let request =
            switch (value[0] >> 4, value[0] & 0x0F) {
            case (2, _): "present the card again"
            case (3, 1): "other interface: contact chip"
            case (3, 2): "other interface: magnetic stripe"
            case (3, _): "other interface"
            default: "no restart"
            }
        return [request, "message \(OutcomeValues.message(value[1]))"]
    }
}

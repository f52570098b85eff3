private import Bytes

/// The meanings of the values of kernel 8's data objects (EMV Contactless Book C-8, annex A, as its
/// only open implementation has it: Digrol/Denom).
enum Kernel8Values {
    /// Nil for any other tag.
    static func lines(_ tag: Tag, _ value: [UInt8]) -> [String]? {
        switch tag {
        case .kernelQualifier: kernelQualifier(value)
        case .cardQualifier: cardQualifier(value)
        case .cardholderVerificationDecision: value.count == 1 ? [decision(value[0])] : ["not 1 byte long"]
        case .restartIndicator: restart(value)
        case .errorIndication:
            OutcomeValues.errorIndication(
                value, others: [0x10: "decryption failed", 0x12: "wrong IAD MAC", 0x13: "wrong EDA MAC"])
        default: nil
        }
    }

    /// The lines of a field of bits that EMV defines and of which kernel 8 uses some for itself; nil
    /// for other kernels and other tags.
    static func fields(_ tag: Tag, _ value: [UInt8], _ context: ValueContext) -> [String]? {
        guard context.kernel == 8 else { return nil }
        switch tag {
        case .terminalVerificationResults: return verification(value)
        case .applicationInterchangeProfile:
            return lines(
                value, as: ApplicationInterchangeProfile.self, none: "nothing supported",
                own: [
                    (0, 0x01, "Local authentication is supported"), (1, 0x08, "Offline capable"),
                    (1, 0x04, "IAD MAC is copied to the card's offset"), (1, 0x02, "IAD MAC is copied to the default offset"),
                    (1, 0x01, "Relay resistance protocol is supported"),
                ])
        case .terminalCapabilities:
            return lines(
                value, as: TerminalCapabilities.self, none: "none", own: [(2, 0x10, "Local authentication supported")])
        default: return nil
        }
    }

    /// EMV Contactless Book C-8, A.1.131.
    private static func verification(_ value: [UInt8]) -> [String] {
        guard value.count == 5 else { return ["not 5 bytes long"] }
        let performed = ["not supported", "not performed", "performed", "in a reserved state"][Int(value[4] & 0x03)]
        let own = lines(
            Array(value[..<4]) + [value[4] & 0xFC], as: TerminalVerificationResults.self, none: "no bit set",
            own: [
                (0, 0x80, "Local authentication was not performed"), (0, 0x04, "Local authentication failed"),
                (4, 0x80, "Format of kernel 8"), (4, 0x40, "AID mismatch"), (4, 0x08, "Relay resistance threshold exceeded"),
                (4, 0x04, "Relay resistance time limits exceeded"),
            ])
        return own + ["Relay resistance protocol \(performed)"]
    }

    /// The kernel's own bits of a field, by byte and mask, and those that it shares with other
    /// kernels.
    private static func lines<Field: BitField>(
        _ value: [UInt8], as field: Field.Type, none: String, own: [(byte: Int, mask: UInt8, meaning: String)]
    ) -> [String] {
        guard value.count == Field.byteCount else { return ["not \(Field.byteCount) bytes long"] }
        var rest = value
        for bit in own { rest[bit.byte] &= ~bit.mask }
        let shared = Field(rest).map { $0.meanings + $0.reservedMeanings } ?? []
        let lines = own.filter { value[$0.byte] & $0.mask != 0 }.map(\.meaning) + shared
        return lines.isEmpty ? [none] : lines
    }

    private static func kernelQualifier(_ value: [UInt8]) -> [String] {
        guard value.count == 8 else { return ["not 8 bytes long"] }
        return ["version \(value[...0].hex)"] + (value[1] & 0x80 == 0 ? [] : ["local authentication supported"])
    }

    private static func cardQualifier(_ value: [UInt8]) -> [String] {
        guard value.count == 7 else { return ["not 7 bytes long"] }
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
        guard (2...5).contains(value.count) else { return ["not 2 to 5 bytes long"] }
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

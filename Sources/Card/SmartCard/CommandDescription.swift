private import Bytes
public import TLV

/// A short description of a command.
public enum CommandDescription {
    public static func summary(_ command: CommandAPDU) -> String {
        if let name = proprietary(command) { return name }
        guard let instruction = command.instruction else { return "command \(command.header.hex)" }
        switch instruction {
        case .select: return "SELECT \(name(command.data))" + (command.p2 & 0x03 == 0x02 ? ", next" : "")
        case .readRecord, .updateRecord: return "\(instruction.name) \(command.p1) of SFI \(command.p2 >> 3)"
        case .getData, .putData: return "\(instruction.name) \([command.p1, command.p2].hex)"
        case .generateAC:
            let type = CryptogramType(rawValue: command.p1 & 0xC0)?.name ?? "?"
            return "GENERATE AC for \(type)" + signature(command.p1)
        case .verify: return "VERIFY \(command.p2 == 0x80 ? "plaintext" : "enciphered") PIN"
        default: return instruction.name
        }
    }

    /// The details in the header's bits that ``summary(_:)`` does not have: chaining, secure
    /// messaging, the parameters of script commands.
    public static func details(_ command: CommandAPDU, _ context: ValueContext = ValueContext()) -> [String] {
        var details: [String] = []
        if command.cla & 0x10 != 0, command.cla & 0x60 == 0 { details.append("chained: more data follow") }
        if command.cla & 0x0C == 0x0C || command.cla & 0x0C == 0x04, command.cla & 0x40 == 0 {
            details.append("with secure messaging")
        }
        switch command.instruction {
        case .getData, .putData:
            let tag = Tag(rawValue: UInt32(command.p1) << 8 | UInt32(command.p2))
            let short = Tag(rawValue: UInt32(command.p2))
            if let name = TagDictionary.definition(command.p1 == 0 ? short : tag, context)?.name {
                details.append(name)
            }
        case .pinChangeUnblock:
            details.append(
                command.p2 == 0
                    ? "unblocks the PIN"
                    : command.p2 == 1 ? "changes the PIN; the data contain the old one" : "changes the PIN")
        case .verify where command.p2 == 0x8A: details.append("enciphered by ECC")
        case .select where command.p1 != 0x04: details.append("not by name: P1 is \([command.p1].hex)")
        default: break
        }
        return details
    }

    /// Commands of contactless kernels and of payment systems (EMV Contactless Books B, C-2, C-5
    /// and C-8; PBOC 3.0), and those of ISO/IEC 7816-4 that EMV applications do not support.
    private static func proprietary(_ command: CommandAPDU) -> String? {
        switch (command.cla & 0xF0, command.ins, command.p1, command.p2) {
        case (0x80, 0xEA, 0x00, 0x00): "EXCHANGE RELAY RESISTANCE DATA"
        case (0x80, 0xDF, 0x00, 0x00): "ECHO"
        case (0x80, 0x1A, 0x00, 0x00): "SEND POI INFORMATION"
        case (0x80, 0x32, _, _): "READ DATA"
        case (0x80, 0x34, _, _): "WRITE DATA"
        case (0x80, 0x50, _, _): "INITIALIZE"
        case (0x80, 0x5A, _, _): "GET TRANS PROVE"
        case (0x80, 0xB4, _, _): "READ CAPP DATA \(command.p1) of SFI \(command.p2 >> 3)"
        case (0x80, 0xDE, _, _): "UPDATE CAPP DATA CACHE \(command.p1) of SFI \(command.p2 >> 3)"
        case (0x00, 0xE2, _, _), (0x80, 0xE2, _, _): "APPEND RECORD"
        case (0x00, 0xB0, _, _): "READ BINARY"
        case (0x00, 0xD6, _, _): "UPDATE BINARY"
        case (0x00, 0x70, _, _): "MANAGE CHANNEL"
        default: nil
        }
    }

    /// EMV 4.4 Book 3, table 12: bits 5 and 4 of the reference control parameter.
    private static func signature(_ control: UInt8) -> String {
        switch control & 0x18 {
        case 0x10: " with CDA"
        case 0x08: " with XDA"
        default: ""
        }
    }

    /// A name as text if it consists of letters, else (an AID) in hexadecimal digits.
    private static func name(_ bytes: [UInt8]) -> String {
        bytes.allSatisfy { (0x20...0x7E).contains($0) } ? ValueDescription.printable(bytes) : bytes.hex
    }
}

import Bytes
public import SmartCard
import TLV

/// What a command asks, in a few words.
public enum CommandDescription {
    public static func words(_ command: CommandAPDU) -> String {
        guard let instruction = command.instruction else { return "command \(command.header.hex)" }
        switch instruction {
        case .select: return "SELECT \(name(command.data))" + (command.p2 & 0x03 == 0x02 ? ", next" : "")
        case .readRecord: return "READ RECORD \(command.p1) of SFI \(command.p2 >> 3)"
        case .getData: return "GET DATA \([command.p1, command.p2].hex)"
        case .generateAC:
            let type = CryptogramType(rawValue: command.p1 & 0xC0)?.name ?? "?"
            return "GENERATE AC for \(type)" + (command.p1 & 0x10 != 0 ? " with CDA" : "")
        case .verify: return "VERIFY \(command.p2 == 0x88 ? "enciphered" : "plaintext") PIN"
        default: return instruction.name
        }
    }

    /// A name of letters as text, an AID in hexadecimal digits.
    private static func name(_ bytes: [UInt8]) -> String {
        bytes.allSatisfy { (0x20...0x7E).contains($0) } ? ValueDescription.printable(bytes) : bytes.hex
    }
}

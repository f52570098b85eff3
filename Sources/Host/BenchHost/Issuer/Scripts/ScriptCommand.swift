internal import Bytes
public import CardCryptography
internal import SmartCard
public import TLV

/// One command of the issuer for a card (EMV 4.4 Book 3, 6.5; the last two ISO/IEC 7816-4).
public enum ScriptCommand: Sendable {
    case applicationBlock
    case applicationUnblock
    case cardBlock
    /// PIN CHANGE/UNBLOCK, P2 `00`: sets the try counter to its limit.
    case pinUnblock
    /// PIN CHANGE/UNBLOCK: sets a new PIN, and the try counter to its limit; P2 `01` with the
    /// current PIN, `02` without it.
    case pinChange(PIN, replacing: PIN? = nil)
    /// For a tag of two bytes.
    case putData(Tag, [UInt8])
    /// - Parameter record: The complete record, for SFI 1 to 10 in template `70`.
    case updateRecord(UInt8, sfi: UInt8, record: [UInt8])
}

extension ScriptCommand {
    /// The command for the card, with its MAC and, for a PIN, enciphered.
    func protected(by messaging: inout SecureMessaging, cardKeys: MasterKeySet) throws(IssuerScriptError) -> CommandAPDU
    {
        var command = header
        command.cla |= messaging.scheme.classIndication
        do {
            let data = try plainData(messaging.scheme, cardKeys)
            command.data = try messaging.protect(
                header: command.header, data: data.revealed(), enciphering: isConfidential)
        } catch {
            throw .form
        }
        guard command.data.count <= 255 else { throw .commandLength(command.data.count) }
        return command
    }

    private var isConfidential: Bool { if case .pinChange = self { true } else { false } }

    /// Class byte without secure messaging, instruction, P1 and P2.
    private var header: CommandAPDU {
        switch self {
        case .applicationBlock: CommandAPDU(cla: 0x80, ins: Instruction.applicationBlock.rawValue)
        case .applicationUnblock: CommandAPDU(cla: 0x80, ins: Instruction.applicationUnblock.rawValue)
        case .cardBlock: CommandAPDU(cla: 0x80, ins: Instruction.cardBlock.rawValue)
        case .pinUnblock: CommandAPDU(cla: 0x80, ins: Instruction.pinChangeUnblock.rawValue)
        case .pinChange(_, let current):
            CommandAPDU(cla: 0x80, ins: Instruction.pinChangeUnblock.rawValue, p2: current == nil ? 0x02 : 0x01)
        case .putData(let tag, _):
            CommandAPDU(
                ins: Instruction.putData.rawValue, p1: UInt8(truncatingIfNeeded: tag.rawValue >> 8),
                p2: UInt8(truncatingIfNeeded: tag.rawValue))
        case .updateRecord(let number, let sfi, _):
            CommandAPDU(ins: Instruction.updateRecord.rawValue, p1: number, p2: sfi << 3 | 0x04)
        }
    }

    private func plainData(_ scheme: SecureMessagingScheme, _ cardKeys: MasterKeySet) throws(PINBlockError)
        -> SecretBytes
    {
        switch self {
        case .applicationBlock, .applicationUnblock, .cardBlock, .pinUnblock: SecretBytes([])
        case .pinChange(let pin, let current): try scheme.encode(newPIN: pin, replacing: current, cardKeys: cardKeys)
        case .putData(_, let value): SecretBytes(value)
        case .updateRecord(_, _, let record): SecretBytes(record)
        }
    }
}

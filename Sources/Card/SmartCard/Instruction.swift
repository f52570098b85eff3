/// The commands of a payment card (EMV 4.4 Book 1, 11 and Book 3, 6.5).
public enum Instruction: UInt8, Sendable, CaseIterable {
    case applicationBlock = 0x1E
    case applicationUnblock = 0x18
    case cardBlock = 0x16
    /// Of Mastercard's mag-stripe mode (EMV Contactless Book C-2).
    case computeCryptographicChecksum = 0x2A
    /// Of contactless kernels (EMV Contactless Books C-2 and C-8).
    case exchangeRelayResistanceData = 0xEA
    case externalAuthenticate = 0x82
    case generateAC = 0xAE
    case getChallenge = 0x84
    case getData = 0xCA
    case getProcessingOptions = 0xA8
    case getResponse = 0xC0
    case internalAuthenticate = 0x88
    case pinChangeUnblock = 0x24
    case putData = 0xDA
    /// Of kernel 8 (EMV Contactless Book C-8).
    case readData = 0x32
    case readRecord = 0xB2
    /// Of Mastercard's contactless kernel (EMV Contactless Book C-2).
    case recoverAC = 0xD0
    case select = 0xA4
    case updateRecord = 0xDC
    case verify = 0x20
    /// Of kernel 8 (EMV Contactless Book C-8).
    case writeData = 0x34

    public var name: String {
        switch self {
        case .applicationBlock: "APPLICATION BLOCK"
        case .applicationUnblock: "APPLICATION UNBLOCK"
        case .cardBlock: "CARD BLOCK"
        case .computeCryptographicChecksum: "COMPUTE CRYPTOGRAPHIC CHECKSUM"
        case .exchangeRelayResistanceData: "EXCHANGE RELAY RESISTANCE DATA"
        case .externalAuthenticate: "EXTERNAL AUTHENTICATE"
        case .generateAC: "GENERATE AC"
        case .getChallenge: "GET CHALLENGE"
        case .getData: "GET DATA"
        case .getProcessingOptions: "GET PROCESSING OPTIONS"
        case .getResponse: "GET RESPONSE"
        case .internalAuthenticate: "INTERNAL AUTHENTICATE"
        case .pinChangeUnblock: "PIN CHANGE/UNBLOCK"
        case .putData: "PUT DATA"
        case .readData: "READ DATA"
        case .readRecord: "READ RECORD"
        case .recoverAC: "RECOVER AC"
        case .select: "SELECT"
        case .updateRecord: "UPDATE RECORD"
        case .verify: "VERIFY"
        case .writeData: "WRITE DATA"
        }
    }
}

extension CommandAPDU {
    public var instruction: Instruction? { Instruction(rawValue: ins) }

    /// VERIFY and PIN CHANGE/UNBLOCK.
    var carriesPIN: Bool { instruction == .verify || instruction == .pinChangeUnblock }

    /// SELECT by DF name (EMV 4.4 Book 1, 11.3); `next` requests the next application with the same
    /// partial name.
    public static func select(_ name: [UInt8], next: Bool = false) -> CommandAPDU {
        CommandAPDU(ins: 0xA4, p1: 0x04, p2: next ? 0x02 : 0x00, data: name, expectedLength: 256)
    }

    /// READ RECORD (EMV 4.4 Book 3, 6.5.11).
    public static func readRecord(_ record: UInt8, sfi: UInt8) -> CommandAPDU {
        CommandAPDU(ins: 0xB2, p1: record, p2: sfi << 3 | 0x04, expectedLength: 256)
    }

    /// GET PROCESSING OPTIONS (EMV 4.4 Book 3, 6.5.8); `data` is the command template `83`,
    /// encoded.
    public static func getProcessingOptions(_ data: [UInt8]) -> CommandAPDU {
        CommandAPDU(cla: 0x80, ins: 0xA8, data: data, expectedLength: 256)
    }

    /// GET DATA (EMV 4.4 Book 3, 6.5.7) for a tag of two bytes.
    public static func getData(_ tag: UInt16) -> CommandAPDU {
        CommandAPDU(
            cla: 0x80, ins: 0xCA, p1: UInt8(truncatingIfNeeded: tag >> 8), p2: UInt8(tag & 0xFF), expectedLength: 256)
    }

    /// PUT DATA without secure messaging, for a tag of two bytes (EMV Contactless Book C-2: data
    /// envelopes).
    package static func putData(_ tag: UInt16, _ value: [UInt8]) -> CommandAPDU {
        CommandAPDU(cla: 0x80, ins: 0xDA, p1: UInt8(truncatingIfNeeded: tag >> 8), p2: UInt8(tag & 0xFF), data: value)
    }

    /// INTERNAL AUTHENTICATE (EMV 4.4 Book 3, 6.5.9).
    public static func internalAuthenticate(_ data: [UInt8]) -> CommandAPDU {
        CommandAPDU(ins: 0x88, data: data, expectedLength: 256)
    }

    /// EXTERNAL AUTHENTICATE (EMV 4.4 Book 3, 6.5.4).
    public static func externalAuthenticate(_ data: [UInt8]) -> CommandAPDU {
        CommandAPDU(ins: 0x82, data: data)
    }

    /// GENERATE AC (EMV 4.4 Book 3, 6.5.5); `control` is the reference control parameter.
    ///
    /// - Parameter writesData: Of kernel 8: WRITE DATA follows (EMV Contactless Book C-8).
    public static func generateAC(_ control: UInt8, _ data: [UInt8], writesData: Bool = false) -> CommandAPDU {
        CommandAPDU(cla: 0x80, ins: 0xAE, p1: control, p2: writesData ? 0x80 : 0x00, data: data, expectedLength: 256)
    }

    /// READ DATA (EMV Contactless Book C-8); `tag` are the bytes of a data envelope's tag.
    public static func readData(_ tag: [UInt8]) -> CommandAPDU {
        CommandAPDU(cla: 0x84, ins: 0x32, data: tag, expectedLength: 256)
    }

    /// WRITE DATA (EMV Contactless Book C-8); `data` are a data envelope, enciphered.
    ///
    /// - Parameter isLast: No other WRITE DATA follows.
    public static func writeData(_ data: [UInt8], isLast: Bool) -> CommandAPDU {
        CommandAPDU(cla: 0x84, ins: 0x34, p2: isLast ? 0x00 : 0x80, data: data, expectedLength: 256)
    }

    /// COMPUTE CRYPTOGRAPHIC CHECKSUM (EMV Contactless Book C-2); `data` are the values of the
    /// UDOL.
    public static func computeCryptographicChecksum(_ data: [UInt8]) -> CommandAPDU {
        CommandAPDU(cla: 0x80, ins: 0x2A, p1: 0x8E, p2: 0x80, data: data, expectedLength: 256)
    }

    /// RECOVER AC (EMV Contactless Book C-2); `data` are the values of the DRDOL.
    public static func recoverAC(_ data: [UInt8]) -> CommandAPDU {
        CommandAPDU(cla: 0x80, ins: 0xD0, data: data, expectedLength: 256)
    }

    /// EXCHANGE RELAY RESISTANCE DATA (EMV Contactless Books C-2 and C-8).
    ///
    /// - Parameter entropy: 4 random bytes of the terminal.
    public static func exchangeRelayResistanceData(_ entropy: [UInt8]) -> CommandAPDU {
        CommandAPDU(cla: 0x80, ins: 0xEA, data: entropy, expectedLength: 256)
    }

    /// GET CHALLENGE (EMV 4.4 Book 3, 6.5.6).
    public static let getChallenge = CommandAPDU(ins: 0x84, expectedLength: 256)

    /// VERIFY (EMV 4.4 Book 3, 6.5.12); `qualifier` is `80` for a plaintext PIN, `88` for an
    /// enciphered one.
    public static func verify(qualifier: UInt8, _ data: [UInt8]) -> CommandAPDU {
        CommandAPDU(ins: 0x20, p2: qualifier, data: data)
    }
}

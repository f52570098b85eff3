/// A message from a reader (USB CCID 1.1, 6.2).
struct CCIDAnswer: Equatable {
    enum Kind: UInt8 {
        case data = 0x80
        case slotStatus = 0x81
        case parameters = 0x82
        case escape = 0x83
        case rate = 0x84
    }

    enum Card: UInt8, Sendable {
        case active = 0
        case inactive = 1
        case absent = 2
    }

    enum Result: Equatable {
        case done
        /// bError: what went wrong (table 6.2-2), or from 1 to 127 which byte of the message the reader does not take.
        case failed(UInt8)
        /// The card wants more time: the block waiting time as many times.
        case moreTime(UInt8)

        /// bmCommandStatus in the upper two bits of bStatus, and bError.
        init(_ status: UInt8, _ error: UInt8) {
            switch status >> 6 {
            case 0: self = .done
            case 2: self = .moreTime(error)
            default: self = .failed(error)
            }
        }
    }

    let kind: Kind
    let slot: UInt8
    let sequence: UInt8
    let card: Card
    let result: Result
    /// The last byte of the header: bChainParameter, bClockStatus or bProtocolNum.
    let parameter: UInt8
    let data: [UInt8]

    init(
        kind: Kind, slot: UInt8 = 0, sequence: UInt8 = 0, card: Card, result: Result, parameter: UInt8 = 0, data: [UInt8] = []
    ) {
        self.kind = kind
        self.slot = slot
        self.sequence = sequence
        self.card = card
        self.result = result
        self.parameter = parameter
        self.data = data
    }

    /// The bytes of a message, as its first ten say; nil for fewer than ten.
    static func length(_ bytes: [UInt8]) -> Int? {
        bytes.count < 10 ? nil : (0..<4).reduce(10) { $0 + Int(bytes[1 + $1]) << (8 * $1) }
    }

    /// Of a whole extended APDU.
    static let longest = 10 + 65538

    /// Nil if the bytes are no message, or not a whole one.
    init?(_ bytes: [UInt8]) {
        guard let length = Self.length(bytes), length <= bytes.count, let kind = Kind(rawValue: bytes[0]),
            let card = Card(rawValue: bytes[7] & 0x03)
        else { return nil }
        self.init(
            kind: kind, slot: bytes[5], sequence: bytes[6], card: card, result: Result(bytes[7], bytes[8]), parameter: bytes[9],
            data: Array(bytes[10..<length]))
    }
}

/// bError of a failed command (USB CCID 1.1, table 6.2-2).
struct CCIDError: Equatable {
    let code: UInt8
    init(_ code: UInt8) { self.code = code }

    static let aborted = CCIDError(0xFF)
    static let mute = CCIDError(0xFE)
    static let parity = CCIDError(0xFD)
    static let overrun = CCIDError(0xFC)
    static let hardware = CCIDError(0xFB)
    static let badInitialCharacter = CCIDError(0xF8)
    static let badCheckByte = CCIDError(0xF7)
    static let protocolNotSupported = CCIDError(0xF6)
    static let classNotSupported = CCIDError(0xF5)
    static let procedureByteConflict = CCIDError(0xF4)
    static let deactivatedProtocol = CCIDError(0xF3)
    static let busyWithAutoSequence = CCIDError(0xF2)
    static let pinTimeout = CCIDError(0xF0)
    static let pinCancelled = CCIDError(0xEF)
    static let slotBusy = CCIDError(0xE0)
    static let notSupported = CCIDError(0x00)
    /// Of Gemalto's readers in their EMV mode: a card that EMV does not take.
    static let cardOutsideEMV = CCIDError(0xBB)
}

extension CCIDError: CustomStringConvertible {
    var description: String {
        switch self {
        case .aborted: "the command was aborted"
        case .mute: "the card is mute"
        case .parity: "parity error"
        case .overrun: "the reader's buffer overflowed"
        case .hardware: "the reader reports a hardware error, such as a short circuit: remove the card and check its contacts"
        case .badInitialCharacter, .badCheckByte: "the card's answer to reset is damaged"
        case .protocolNotSupported, .deactivatedProtocol: "the reader does not support the card's protocol"
        case .classNotSupported: "the reader does not support the command's class"
        case .procedureByteConflict: "the card sent an invalid procedure byte"
        case .busyWithAutoSequence, .slotBusy: "the slot is busy"
        case .pinTimeout: "no PIN was entered in time"
        case .pinCancelled: "the PIN entry was cancelled"
        case .notSupported: "the reader does not support the command"
        default: code < 0x80 ? "the reader rejects byte \(code) of the message" : "reader-specific error \(code)"
        }
    }
}

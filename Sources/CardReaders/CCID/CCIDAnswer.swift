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
    }

    let kind: Kind
    let slot: UInt8
    let sequence: UInt8
    let card: Card
    let result: Result
    /// The last byte of the header: bChainParameter, bClockStatus or bProtocolNum.
    let parameter: UInt8
    let data: [UInt8]

    /// What a reader should have said of a card that was taken out.
    init(removedFrom slot: UInt8, _ sequence: UInt8) {
        kind = .data
        self.slot = slot
        self.sequence = sequence
        card = .absent
        result = .failed(CCIDError.mute.code)
        parameter = 0
        data = []
    }

    /// Nil if the bytes are no message, or not a whole one.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 10, let kind = Kind(rawValue: bytes[0]), let card = Card(rawValue: bytes[7] & 0x03) else { return nil }
        let length = (0..<4).reduce(0) { $0 | Int(bytes[1 + $1]) << (8 * $1) }
        guard length <= bytes.count - 10 else { return nil }
        self.kind = kind
        slot = bytes[5]
        sequence = bytes[6]
        self.card = card
        switch bytes[7] >> 6 {
        case 0: result = .done
        case 2: result = .moreTime(bytes[8])
        default: result = .failed(bytes[8])
        }
        parameter = bytes[9]
        data = Array(bytes[10..<(10 + length)])
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
}

extension CCIDError: CustomStringConvertible {
    var description: String {
        switch self {
        case .aborted: "the command was aborted"
        case .mute: "the card is mute"
        case .parity: "parity error"
        case .overrun: "the reader's buffer ran over"
        case .hardware: "the reader found a short circuit or another failure: take the card out and look at its contacts"
        case .badInitialCharacter, .badCheckByte: "the card's answer to reset is damaged"
        case .protocolNotSupported, .deactivatedProtocol: "the reader does not speak the card's protocol"
        case .classNotSupported: "the reader does not take the command's class"
        case .procedureByteConflict: "the card answered with a procedure byte that cannot be"
        case .busyWithAutoSequence, .slotBusy: "the slot is busy"
        case .pinTimeout: "no PIN was entered in time"
        case .pinCancelled: "the PIN entry was cancelled"
        case .notSupported: "the reader does not know the command"
        default: code < 0x80 ? "the reader does not take byte \(code) of the message" : "the reader's own error \(code)"
        }
    }
}

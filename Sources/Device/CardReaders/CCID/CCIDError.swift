import SmartCard

/// bError of a failed command (USB CCID 1.1, table 6.2-2).
struct CCIDError: Hashable {
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
    /// From Gemalto's readers in EMV mode: the card does not conform to EMV.
    static let cardOutsideEMV = CCIDError(0xBB)
}

extension CCIDError: DriverError {
    var description: String {
        switch self {
        case .aborted: "the command was aborted"
        case .mute: "the card is mute"
        case .parity: "parity error"
        case .overrun: "the reader's buffer overflowed"
        case .hardware:
            "the reader reports a hardware error, such as a short circuit: remove the card and check its contacts"
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

extension CardChannelError {
    /// The error of a failed command in an exchange with a card.
    init(_ error: CCIDError) {
        switch error {
        case .mute: self = .timedOut
        case .parity: self = .malformedAnswer(.parity)
        case .overrun: self = .malformedAnswer(.overrun)
        case .procedureByteConflict: self = .malformedAnswer(.invalidProcedureByte)
        case .aborted: self = .cancelled
        default: self = .readerFailed(ReaderFailure(error))
        }
    }
}

extension ReaderFailure {
    init(_ error: CCIDError) {
        switch error {
        case .mute: self = .cardMute
        case .busyWithAutoSequence, .slotBusy: self = .busy
        case .parity: self = .malformedAnswer(.parity)
        case .overrun: self = .malformedAnswer(.overrun)
        case .procedureByteConflict: self = .malformedAnswer(.invalidProcedureByte)
        case .badInitialCharacter, .badCheckByte: self = .malformedAnswer(.damaged)
        default: self = .driver(error)
        }
    }
}

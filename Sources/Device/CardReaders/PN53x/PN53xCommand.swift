/// A command to the chip (PN532 user manual UM0701-02, 7).
package enum PN53xCommand: Equatable, Sendable {
    /// GetFirmwareVersion.
    case firmwareVersion
    /// SetParameters, all off: no RATS, no card identifier and no node address of the chip's own.
    case withoutAutomatics
    /// SAMConfiguration, normal mode without a time limit. A PN532 is ready for other commands
    /// after it.
    case withoutSecurityModule
    /// RFConfiguration item 01.
    case field(isOn: Bool)
    /// RFConfiguration item 02: how long the chip waits for a card in ``exchange(_:)``.
    case waitingTime(PN53xWaitingTime)
    /// RFConfiguration item 05: one attempt in each search for a card.
    case singleTry
    /// InListPassiveTarget at 106 kbit/s, of at most two cards.
    case list(CardType, atMost: UInt8)
    /// InCommunicateThru: sends a block unchanged; the chip adds and verifies the CRC.
    case exchange([UInt8])
    /// InRelease of all cards; it ends ``becomeCard(_:)``, too.
    case release
    /// SetParameters, the emulation of a card of ISO/IEC 14443-4 alone (7.2.9): a PN532 answers
    /// RATS and does the blocks itself.
    case cardEmulation
    /// ReadRegister and WriteRegister (7.2.4, 7.2.5).
    case register(Register)
    case setRegister(Register, UInt8)
    /// TgInitAsTarget (7.3.14): answered when a terminal has activated the chip, which sleeps until
    /// then.
    case becomeCard(PN53xCardIdentity)
    /// TgGetData (7.3.16): answered when a command of the terminal has come, or the terminal is
    /// gone.
    case commandOfTerminal
    /// TgSetData (7.3.17), at most 262 bytes.
    case answerToTerminal([UInt8])

    /// Type of card and modulation (ISO/IEC 14443-2).
    package enum CardType: Sendable {
        case typeA
        /// Type B of any application family.
        case typeB
    }

    package enum Register: UInt16, Sendable {
        /// CIU_TxAuto; its bit 3 is InitialRFOn.
        case transmitterControl = 0x6305

        fileprivate var address: [UInt8] {
            [UInt8(truncatingIfNeeded: rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)]
        }
    }

    package var bytes: [UInt8] {
        switch self {
        case .firmwareVersion: [0x02]
        case .withoutAutomatics: [0x12, 0x00]
        case .withoutSecurityModule: [0x14, 0x01, 0x00, 0x00]
        case .field(let isOn): [0x32, 0x01, isOn ? 0x01 : 0x00]
        // The first byte is reserved; the second is the default timeout for ATR_RES.
        case .waitingTime(let time): [0x32, 0x02, 0x00, 0x0B, time.code]
        case .singleTry: [0x32, 0x05, 0xFF, 0x01, 0x00]
        case .list(.typeA, let count): [0x4A, count, 0x00]
        case .list(.typeB, let count): [0x4A, count, 0x03, 0x00]
        case .exchange(let block): [0x42] + block
        case .release: [0x52, 0x00]
        case .cardEmulation: [0x12, 0x20]
        case .register(let register): [0x06] + register.address
        case .setRegister(let register, let value): [0x08] + register.address + [value]
        case .becomeCard(let identity): [0x8C] + identity.parameters
        case .commandOfTerminal: [0x86]
        case .answerToTerminal(let answer): [0x8E] + answer
        }
    }

    /// The code of its answer.
    package var answerCode: UInt8 { bytes[0] &+ 1 }
}

/// A time that the chip can wait: 100 µs · 2^(code − 1) for codes 1 to 16 (7.3.1).
package struct PN53xWaitingTime: Equatable, Sendable {
    package let code: UInt8

    /// The shortest time that is at least `duration`. Beyond 3.28 s there is none: the chip then
    /// waits until it gets an acknowledgment.
    package init(_ duration: Duration) {
        code = (1...16).first { Self.duration($0) >= duration } ?? 0
    }

    /// Nil if the chip waits until it gets an acknowledgment.
    package var duration: Duration? { code == 0 ? nil : Self.duration(code) }

    private static func duration(_ code: UInt8) -> Duration { .microseconds(100) * (1 << (Int(code) - 1)) }
}

package import Bytes

/// A block of the half-duplex transmission protocol (ISO/IEC 14443-4:2008, 7.1), without its CRC,
/// which the reader's chip adds and verifies.
///
/// It has no card identifier and no node address: EMV uses neither.
package enum ISODEPBlock: Hashable, Sendable {
    case information(number: UInt8, more: Bool, Wiped)
    /// R(ACK).
    case acknowledged(number: UInt8)
    /// R(NAK).
    case refused(number: UInt8)
    /// S(DESELECT), request and response alike.
    case deselect
    /// S(WTX), request and response alike: the multiplier of the waiting time, 1 to 59.
    case waitingTimeExtension(UInt8)

    /// Why bytes are not a block that the reader accepts.
    package enum Malformation: Error, Hashable, Sendable {
        case empty
        /// It has more bytes than FSD allows.
        case tooLong(Int)
        case cardIdentifier
        case nodeAddress
        /// PCB.
        case control(UInt8)
        /// An R-block has 1 byte, S(DESELECT) 1, S(WTX) 2.
        case length(Int)
        /// 0, or 60 to 63, which are reserved.
        case multiplier(UInt8)
    }

    package var bytes: [UInt8] {
        switch self {
        case .information(let number, let more, let field): [0x02 | (more ? 0x10 : 0) | number & 1] + field.wrappedValue
        case .acknowledged(let number): [0xA2 | number & 1]
        case .refused(let number): [0xB2 | number & 1]
        case .deselect: [0xC2]
        case .waitingTimeExtension(let multiplier): [0xF2, multiplier & 0x3F]
        }
    }

    package init(parsing bytes: [UInt8]) throws(Malformation) {
        guard let control = bytes.first else { throw .empty }
        guard bytes.count <= ISODEPParameters.readerFrameSize - ISODEPParameters.checksumLength else {
            throw .tooLong(bytes.count)
        }
        let identified = control & 0x08 != 0
        switch control & 0xF7 {
        case let code where code & 0xE2 == 0x02:
            guard !identified else { throw .cardIdentifier }
            guard code & 0x04 == 0 else { throw .nodeAddress }
            self = .information(number: code & 0x01, more: code & 0x10 != 0, Wiped(Array(bytes.dropFirst())))
        case let code where code & 0xE6 == 0xA2:
            guard !identified else { throw .cardIdentifier }
            guard bytes.count == 1 else { throw .length(bytes.count) }
            self = code & 0x10 == 0 ? .acknowledged(number: code & 0x01) : .refused(number: code & 0x01)
        case 0xC2:
            guard !identified else { throw .cardIdentifier }
            guard bytes.count == 1 else { throw .length(bytes.count) }
            self = .deselect
        case 0xF2:
            guard !identified else { throw .cardIdentifier }
            guard bytes.count == 2 else { throw .length(bytes.count) }
            // The upper two bits report the card's power level (7.3).
            let multiplier = bytes[1] & 0x3F
            guard (1...59).contains(multiplier) else { throw .multiplier(multiplier) }
            self = .waitingTimeExtension(multiplier)
        default: throw .control(control)
        }
    }
}

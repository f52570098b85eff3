internal import SmartCard

/// A message to a reader (USB CCID 1.1, 6.1).
enum CCIDCommand: Equatable {
    enum Voltage: UInt8 {
        case automatic = 0
        case five = 1
        case three = 2
        case eighteenTenths = 3
    }

    /// wLevelParameter of a chained APDU.
    enum Chaining: UInt16 {
        case whole = 0x0000
        case begins = 0x0001
        case ends = 0x0002
        case goesOn = 0x0003
        case wantsMore = 0x0010
    }

    case powerOn(Voltage)
    case powerOff
    case slotStatus
    /// Data for the card; the requested multiple of the block waiting time; chaining, or at
    /// character level the number of bytes expected.
    case transfer([UInt8], waitingTimes: UInt8, level: UInt16)
    case setParameters(CardParameters)
    case escape([UInt8])
    case secure([UInt8], waitingTimes: UInt8, level: UInt16)
    case abort

    /// The message that answers it (table 6.2).
    var answer: CCIDAnswer.Kind {
        switch self {
        case .powerOn, .transfer, .secure: .data
        case .powerOff, .slotStatus, .abort: .slotStatus
        case .setParameters: .parameters
        case .escape: .escape
        }
    }

    func bytes(slot: UInt8, sequence: UInt8) -> [UInt8] {
        let (type, specific, data): (UInt8, [UInt8], [UInt8]) =
            switch self {
            case .powerOn(let voltage): (0x62, [voltage.rawValue, 0, 0], [])
            case .powerOff: (0x63, [0, 0, 0], [])
            case .slotStatus: (0x65, [0, 0, 0], [])
            case .transfer(let data, let times, let level):
                (0x6F, [times, UInt8(level & 0xFF), UInt8(truncatingIfNeeded: level >> 8)], data)
            case .setParameters(let parameters):
                (0x61, [parameters.transmissionProtocol.rawValue, 0, 0], Self.parameters(parameters))
            case .escape(let data): (0x6B, [0, 0, 0], data)
            case .secure(let data, let times, let level):
                (0x69, [times, UInt8(level & 0xFF), UInt8(truncatingIfNeeded: level >> 8)], data)
            case .abort: (0x72, [0, 0, 0], [])
            }
        let length = (0..<4).map { UInt8(truncatingIfNeeded: data.count >> (8 * $0)) }
        return [type] + length + [slot, sequence] + specific + data
    }

    /// abProtocolDataStructure (6.1.7).
    private static func parameters(_ parameters: CardParameters) -> [UInt8] {
        let inverse: UInt8 = parameters.convention == .inverse ? 0x02 : 0
        let guardTime = UInt8(truncatingIfNeeded: parameters.extraGuardTime)
        switch parameters.transmissionProtocol {
        case .t0:
            return [
                parameters.rate.code, inverse, guardTime, UInt8(truncatingIfNeeded: parameters.waitingInteger),
                parameters.clockStop,
            ]
        case .t1:
            let checksum: UInt8 = parameters.checksum == .crc ? 0x01 : 0
            let waiting = UInt8(
                truncatingIfNeeded: parameters.blockWaitingInteger << 4 | parameters.characterWaitingInteger)
            return [
                parameters.rate.code, 0x10 | inverse | checksum, guardTime, waiting, parameters.clockStop,
                UInt8(truncatingIfNeeded: parameters.informationFieldSize), 0,
            ]
        }
    }
}

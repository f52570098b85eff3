internal import Bytes

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
        /// bError: what went wrong (table 6.2-2), or, from 1 to 127, the offset of the byte of the
        /// message that the reader rejects.
        case failed(UInt8)
        /// The card requests more time: a multiple of the block waiting time.
        case moreTime(UInt8)

        /// From bmCommandStatus, the upper two bits of bStatus, and bError.
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
    @Wiped private(set) var data: [UInt8]

    init(
        kind: Kind, slot: UInt8 = 0, sequence: UInt8 = 0, card: Card, result: Result, parameter: UInt8 = 0,
        data: [UInt8] = []
    ) {
        self.kind = kind
        self.slot = slot
        self.sequence = sequence
        self.card = card
        self.result = result
        self.parameter = parameter
        self.data = data
    }

    /// The length of a message from its ten bytes of header; nil for fewer than ten.
    static func length(_ bytes: [UInt8]) -> Int? {
        bytes.count < 10 ? nil : (0..<4).reduce(10) { $0 + Int(bytes[1 + $1]) << (8 * $1) }
    }

    /// The length with a whole extended APDU.
    static let longest = 10 + 65538

    /// Nil if the bytes are not a complete message.
    init?(_ bytes: [UInt8]) {
        guard let length = Self.length(bytes), length <= bytes.count, let kind = Kind(rawValue: bytes[0]),
            let card = Card(rawValue: bytes[7] & 0x03)
        else { return nil }
        self.init(
            kind: kind, slot: bytes[5], sequence: bytes[6], card: card, result: Result(bytes[7], bytes[8]),
            parameter: bytes[9],
            data: Array(bytes[10..<length]))
    }
}

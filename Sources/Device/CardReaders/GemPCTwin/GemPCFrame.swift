package import Bytes
package import DeviceIO

/// How a GemPC Twin on a serial port wraps CCID messages: `03 06`, the message, and the exclusive
/// or of all of it.
package enum GemPCFrame {
    /// The header of a CCID message: type, length, slot, sequence number and three more bytes (CCID
    /// 1.1, 6).
    static let headerLength = 10
    /// The longest message of the reader.
    package static let longestMessage = 271

    static let (start, acknowledged, refused): (UInt8, UInt8, UInt8) = (0x03, 0x06, 0x15)
    /// RDR_to_PC_NotifySlotChange, which is sent without a frame.
    static let slotChange: UInt8 = 0x50

    package static func encode(_ message: [UInt8]) -> [UInt8] {
        let frame = [start, acknowledged] + message
        return frame + [frame.reduce(0, ^)]
    }
}

/// A CCID message, with the parts that this reader needs.
struct GemPCMessage: Equatable {
    var type: UInt8
    var sequence: UInt8
    /// bBWI and wLevelParameter, bPowerSelect of commands; bStatus, bError and one more byte of
    /// answers.
    var specific: [UInt8]
    @Wiped var data: [UInt8]

    init(type: UInt8, sequence: UInt8, specific: [UInt8] = [0, 0, 0], data: [UInt8] = []) {
        self.type = type
        self.sequence = sequence
        self.specific = specific
        self.data = data
    }

    /// Nil unless the length fits.
    init?(_ message: Wiped) {
        let bytes = message.wrappedValue
        guard bytes.count >= GemPCFrame.headerLength else { return nil }
        let length = bytes[1...4].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard bytes.count == GemPCFrame.headerLength + length else { return nil }
        self.init(type: bytes[0], sequence: bytes[6], specific: Array(bytes[7...9]), data: Array(bytes.dropFirst(10)))
    }

    var bytes: [UInt8] {
        [type] + (0..<4).map { UInt8(truncatingIfNeeded: data.count >> (8 * $0)) } + [0, sequence] + specific + data
    }

    /// The slot's state and the command's (CCID 1.1, 6.2.6).
    var hasCard: Bool { specific[0] & 0x03 != 2 }
    var hasFailed: Bool { specific[0] & 0xC0 == 0x40 }
    var wantsTime: Bool { specific[0] & 0xC0 == 0x80 }
    var error: UInt8 { specific[1] }
}

/// Decodes the bytes of the reader one by one.
package struct GemPCDecoder: Sendable {
    package enum Event: Equatable, Sendable {
        /// A CCID message: the echo of a command, or an answer.
        case message(Wiped)
        /// The reader could not read the command.
        case refused
        case card(isPresent: Bool)
        /// The card requests more time.
        case wait
        case damaged
    }

    @Wiped private var bytes: [UInt8]

    package init() {}

    package mutating func take(_ byte: UInt8) -> Event? {
        _bytes.append(byte)
        switch bytes[0] {
        case GemPCFrame.start: return frame()
        case GemPCFrame.slotChange:
            guard bytes.count == 2 else { return nil }
            defer { bytes = [] }
            return byte == 0x02 || byte == 0x03 ? .card(isPresent: byte == 0x03) : .damaged
        case 0x80...0xFF:
            bytes = []
            return .wait
        default:
            bytes = []
            return .damaged
        }
    }

    private mutating func frame() -> Event? {
        guard bytes.count > 1 else { return nil }
        if bytes[1] == GemPCFrame.refused {
            guard bytes.count == 3 else { return nil }
            defer { bytes = [] }
            return bytes[2] == GemPCFrame.start ^ GemPCFrame.refused ? .refused : .damaged
        }
        guard bytes[1] == GemPCFrame.acknowledged else { return giveUp() }
        guard bytes.count >= 2 + GemPCFrame.headerLength else { return nil }
        let length = GemPCFrame.headerLength + bytes[3...6].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= GemPCFrame.longestMessage else { return giveUp() }
        guard bytes.count == length + 3 else { return nil }
        guard bytes.reduce(0, ^) == 0 else { return giveUp() }
        defer { bytes = [] }
        return .message(_bytes.dropping(first: 2, last: 1))
    }

    private mutating func giveUp() -> Event {
        bytes = []
        return .damaged
    }
}

/// Decides which bytes of a GemPC Twin's line a recording may show: frame and CCID header of a
/// command that is sent. Echo and answers may contain card data at any position, because reads may
/// split them anywhere.
package enum GemPCRedaction {
    package static let redaction: WireRecorder.Redaction = { direction, _, bytes in
        let shown = direction == .sent ? 12 : 0
        return bytes.count > shown ? [shown..<bytes.count] : []
    }
}

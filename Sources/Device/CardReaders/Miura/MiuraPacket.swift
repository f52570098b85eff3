private import Bytes
package import DeviceIO

/// A packet of the Miura payment interface: node address, control byte, length, up to 254 bytes of
/// an APDU, check (MPI API guide, "Communications protocol").
package struct MiuraPacket: Equatable, Sendable {
    /// The maximum number of APDU bytes in one packet; the minimum is two.
    package static let longest = 254

    /// The PIN pad itself; `02` is a printer or docking station that passes packets on.
    package static let pinPad: UInt8 = 0x01
    private static let (chained, unsolicited): (UInt8, UInt8) = (0x01, 0x40)

    package let node: UInt8
    /// The APDU continues in the next packet.
    package let isChained: Bool
    /// Not the answer to a command.
    package let isUnsolicited: Bool
    package let part: [UInt8]

    /// Nil if the part does not fit into a packet, or the node does not exist.
    package init?(node: UInt8 = pinPad, isChained: Bool = false, isUnsolicited: Bool = false, _ part: [UInt8]) {
        guard (1...2).contains(node), (2...Self.longest).contains(part.count) else { return nil }
        self.node = node
        self.isChained = isChained
        self.isUnsolicited = isUnsolicited
        self.part = part
    }

    package var bytes: [UInt8] {
        let control = (isChained ? Self.chained : 0) | (isUnsolicited ? Self.unsolicited : 0)
        // fits: a packet is not made of a part that is longer than 254 bytes
        let packet = [node, control, UInt8(part.count)] + part
        return packet + [packet.reduce(0, ^)]
    }

    /// The packets of an APDU of two bytes or more.
    package static func packets(_ apdu: [UInt8]) -> [MiuraPacket] {
        var packets: [MiuraPacket] = []
        var rest = apdu[...]
        while !rest.isEmpty {
            // No packet may have only one byte.
            let count = rest.count == longest + 1 ? longest - 1 : min(longest, rest.count)
            let part = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            if let packet = MiuraPacket(isChained: !rest.isEmpty, part) { packets.append(packet) }
        }
        return packets
    }

    /// The length of the packet at the beginning of `bytes`, as far as it is known; nil if it is
    /// not a packet.
    static func length(beginning bytes: ArraySlice<UInt8>) -> Int? {
        let header = Array(bytes.prefix(3))
        if let node = header.first, !(1...2).contains(node) { return nil }
        if header.count > 1, header[1] & ~(chained | unsolicited) != 0 { return nil }
        guard header.count > 2 else { return 4 }
        return (2...longest).contains(Int(header[2])) ? Int(header[2]) + 4 : nil
    }

    /// - Returns: Nil unless `bytes` are one packet with a correct check byte.
    package init?(parsing bytes: [UInt8]) {
        guard Self.length(beginning: bytes[...]) == bytes.count, bytes.count > 4, bytes.reduce(0, ^) == 0 else {
            return nil
        }
        self.init(
            node: bytes[0], isChained: bytes[1] & Self.chained != 0, isUnsolicited: bytes[1] & Self.unsolicited != 0,
            Array(bytes.dropFirst(3).dropLast()))
    }
}

/// The part may contain card data, so descriptions omit it.
extension MiuraPacket: CustomStringConvertible, CustomReflectable {
    package var description: String { "packet of \(part.count) bytes" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A complete message of the PIN pad: body and status word.
package struct MiuraMessage: Equatable, Sendable {
    package let isUnsolicited: Bool
    /// Usually BER-TLV.
    package let body: [UInt8]
    package let status: UInt16

    /// Nil without a status word.
    init?(isUnsolicited: Bool, _ bytes: [UInt8]) {
        guard bytes.count >= 2 else { return nil }
        self.isUnsolicited = isUnsolicited
        body = Array(bytes.dropLast(2))
        status = UInt16(bytes[bytes.count - 2]) << 8 | UInt16(bytes[bytes.count - 1])
    }

    package var isSuccess: Bool { status == 0x9000 }
}

/// The body may contain card data, so descriptions omit it.
extension MiuraMessage: CustomStringConvertible, CustomReflectable {
    package var description: String { "message of \(body.count) bytes, \(status.hex)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Reassembles messages from the bytes of the line. Unsolicited messages may come between the
/// packets of an answer.
package struct MiuraAssembler: Sendable {
    /// The protocol cannot request a packet again: the connection must be reopened.
    package struct Failure: Error, Equatable, Sendable {}

    /// The maximum length of a message in bytes.
    package static let longestMessage = 65536

    private var bytes: [UInt8] = []
    private var begun: [Bool: [UInt8]] = [:]

    package init() {}

    /// The messages that `bytes` complete, in order. Packets of another node are skipped.
    package mutating func take(_ new: [UInt8]) throws(Failure) -> [MiuraMessage] {
        bytes += new
        var messages: [MiuraMessage] = []
        while !bytes.isEmpty {
            guard let length = MiuraPacket.length(beginning: bytes[...]) else { throw Failure() }
            guard bytes.count >= max(length, 4) else { break }
            guard let packet = MiuraPacket(parsing: Array(bytes.prefix(length))) else { throw Failure() }
            bytes.removeFirst(length)
            guard packet.node == MiuraPacket.pinPad else { continue }
            let whole = begun[packet.isUnsolicited, default: []] + packet.part
            guard whole.count <= Self.longestMessage else { throw Failure() }
            if packet.isChained {
                begun[packet.isUnsolicited] = whole
            } else {
                begun[packet.isUnsolicited] = nil
                guard let message = MiuraMessage(isUnsolicited: packet.isUnsolicited, whole) else { throw Failure() }
                messages.append(message)
            }
        }
        return messages
    }
}

/// Decides which bytes of a Miura PIN pad's line a recording may show: only lengths, and the
/// headers of commands. Every answer may contain card data.
package enum MiuraRedaction {
    /// Shows the beginning of each sent packet: node, control byte, length and the four bytes of
    /// the command header.
    package static let redaction: WireRecorder.Redaction = { direction, _, bytes in
        let shown = direction == .sent ? 7 : 0
        return bytes.count > shown ? [shown..<bytes.count] : []
    }
}

package import DeviceIO

/// The encoding of messages for USB HID, in reports of 64 bytes (DynaFlex family programmer's
/// manual, tables 2.11 to 2.15).
package enum MMSPackets {
    static let size = 64

    /// The reports of a message: a single one, or head, numbered middle parts and tail.
    package static func packets(_ message: [UInt8]) -> [[UInt8]] {
        // fits: at most 62 bytes
        if message.count <= 62 { return [filled([0x00, UInt8(message.count)] + message)] }
        let count = message.count
        var packets = [
            filled([0x01] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + message.prefix(59))
        ]
        var rest = message.dropFirst(59)
        var number: UInt16 = 1
        while rest.count > 62 {
            packets.append(
                filled([0x02, UInt8(truncatingIfNeeded: number >> 8), UInt8(number & 0xFF)] + rest.prefix(61)))
            rest = rest.dropFirst(61)
            number &+= 1
        }
        // fits: at most 62 bytes
        packets.append(filled([0x03, UInt8(rest.count)] + rest))
        return packets
    }

    private static func filled(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: max(0, size - bytes.count))
    }

    /// Reassembles messages from the reports of a device.
    package struct Assembler: Sendable {
        private var message: [UInt8] = []
        private var expected = 0
        private var next: UInt16 = 1

        package init() {}

        /// - Returns: The message, if `packet` completes one. Parts whose beginning was lost are
        ///   skipped.
        /// - Throws: ``DeviceError/malformed(_:_:)`` if parts are missing, too short or too long;
        ///   the collected parts are then discarded.
        package mutating func take(_ packet: [UInt8]) throws(DeviceError) -> [UInt8]? {
            guard let type = packet.first else { throw .malformed(.mmsPacket, .empty) }
            switch type {
            case 0x00:
                defer { reset() }
                guard packet.count >= 2, packet.count >= 2 + Int(packet[1]) else {
                    throw .malformed(.mmsPacket, .truncated)
                }
                return Array(packet[2..<(2 + Int(packet[1]))])
            case 0x01:
                reset()
                guard packet.count > 5 else { throw .malformed(.mmsPacket, .truncated) }
                expected = packet[1..<5].reduce(0) { $0 << 8 | Int($1) }
                guard (63...MMSMessage.longest).contains(expected) else {
                    defer { reset() }
                    throw .malformed(.mmsMessage, .wrongLength(expected))
                }
                message = Array(packet[5...].prefix(59))
                return nil
            case 0x02 where expected > 0:
                guard packet.count == MMSPackets.size, UInt16(packet[1]) << 8 | UInt16(packet[2]) == next,
                    message.count + 61 <= expected
                else {
                    defer { reset() }
                    throw .malformed(.mmsMessage, .incomplete)
                }
                message += packet[3...].prefix(61)
                next &+= 1
                return nil
            case 0x03 where expected > 0:
                defer { reset() }
                guard packet.count >= 2, packet.count >= 2 + Int(packet[1]), message.count + Int(packet[1]) == expected
                else {
                    throw .malformed(.mmsMessage, .incomplete)
                }
                return message + packet[2..<(2 + Int(packet[1]))]
            case 0x02, 0x03: return nil
            case 0x04:
                reset()
                return nil
            default: throw .malformed(.mmsPacket, .unknownType)
            }
        }

        private mutating func reset() {
            message = []
            expected = 0
            next = 1
        }
    }
}

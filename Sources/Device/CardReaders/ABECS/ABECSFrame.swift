/// The link layer of an ABECS PIN pad: packets between `16` and `17`, and single control bytes
/// (ABECS Pinpad, Communication Protocol and Operation 2.12, 2.2).
package enum ABECSFrame {
    package enum Control: UInt8, Sendable {
        /// The PIN pad answers a cancellation.
        case eot = 0x04
        case ack = 0x06
        case nak = 0x15
        /// The host cancels what the PIN pad is doing.
        case can = 0x18
    }

    /// The maximum length of a packet in bytes, before escapes.
    package static let longest = 2049

    static let (start, end, escape): (UInt8, UInt8, UInt8) = (0x16, 0x17, 0x13)
    /// Added to a byte that follows the escape.
    static let shift: UInt8 = 0x20

    /// A packet encoded for the line; nil if it is empty or too long.
    package static func encode(_ packet: [UInt8]) -> [UInt8]? {
        guard (1...longest).contains(packet.count) else { return nil }
        var bytes = [start]
        for byte in packet {
            switch byte {
            case start, end, escape: bytes += [escape, byte + shift]
            default: bytes.append(byte)
            }
        }
        let check = checksum(packet)
        return bytes + [end, UInt8(truncatingIfNeeded: check >> 8), UInt8(check & 0xFF)]
    }

    /// CRC-16 with the polynomial 1021 and the initial value 0 over the packet before escapes and
    /// its end byte (2.2.1 and 7.2).
    static func checksum(_ packet: [UInt8]) -> UInt16 {
        CRC16.check(packet + [end], from: 0)
    }
}

/// Decodes the bytes of a PIN pad one by one.
package struct ABECSFrameDecoder: Sendable {
    package enum Event: Equatable, Sendable {
        case packet([UInt8])
        case control(ABECSFrame.Control)
        /// A packet with a wrong checksum or an invalid escape, or a packet that is too long.
        case damaged
    }

    private enum State {
        case outside
        case inside
        case escaped
        case firstCheck
        case secondCheck(UInt8)
    }

    private var state = State.outside
    private var packet: [UInt8] = []

    package init() {}

    /// Whether a packet has begun and not ended.
    package var isInside: Bool {
        if case .outside = state { false } else { true }
    }

    /// Returns the event that `byte` completes. Between packets, bytes that are not control bytes
    /// are ignored.
    package mutating func take(_ byte: UInt8) -> Event? {
        switch state {
        case .outside:
            guard byte == ABECSFrame.start else { return ABECSFrame.Control(rawValue: byte).map { .control($0) } }
            begin()
        case .inside:
            switch byte {
            // The end of the previous packet was lost.
            case ABECSFrame.start: begin()
            case ABECSFrame.end: state = .firstCheck
            case ABECSFrame.escape: state = .escaped
            default: return add(byte)
            }
        case .escaped:
            let original = byte &- ABECSFrame.shift
            guard [ABECSFrame.start, ABECSFrame.end, ABECSFrame.escape].contains(original) else { return giveUp() }
            state = .inside
            return add(original)
        case .firstCheck: state = .secondCheck(byte)
        case .secondCheck(let first):
            let check = UInt16(first) << 8 | UInt16(byte)
            guard check == ABECSFrame.checksum(packet) else { return giveUp() }
            state = .outside
            defer { packet = [] }
            return .packet(packet)
        }
        return nil
    }

    private mutating func begin() {
        state = .inside
        packet = []
    }

    private mutating func add(_ byte: UInt8) -> Event? {
        guard packet.count < ABECSFrame.longest else { return giveUp() }
        packet.append(byte)
        return nil
    }

    private mutating func giveUp() -> Event {
        state = .outside
        packet = []
        return .damaged
    }
}

package import Bytes

/// The frames between a host and an NXP PN532 or PN533 (PN532 user manual UM0701-02, 6.2.1):
/// preamble, start code, length and its check sum, data and their check sum, postamble.
package enum PN53xFrame {
    /// TFI, the first byte of data: from the host, from the chip, and from a chip that did not
    /// understand a frame.
    static let (host, chip, syntaxError): (UInt8, UInt8, UInt8) = (0xD4, 0xD5, 0x7F)
    /// The maximum number of data bytes in either direction, TFI included.
    package static let longestData = 265

    /// From the chip, it confirms a command; from the host, it ends the command in progress.
    package static let acknowledgment: [UInt8] = [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00]
    /// Makes the chip send its last answer again.
    package static let refusal: [UInt8] = [0x00, 0x00, 0xFF, 0xFF, 0x00, 0x00]
    /// Wakes a PN532 on a serial line; sent before the first frame (7.2.11).
    package static let wakeUp: [UInt8] = [0x55, 0x55] + [UInt8](repeating: 0, count: 14)

    /// - Parameter command: Its code and parameters; at most 264 bytes.
    package static func encode(_ command: [UInt8]) -> [UInt8] {
        let data = [host] + command
        return [0x00, 0x00, 0xFF] + length(data.count) + data + [complement(data), 0x00]
    }

    /// LEN and LCS; from 256 bytes on, those of an extended frame (6.2.1.2).
    private static func length(_ count: Int) -> [UInt8] {
        let low = UInt8(truncatingIfNeeded: count)
        guard count > 0xFF else { return [low, complement([low])] }
        let both = [UInt8(truncatingIfNeeded: count >> 8), low]
        return [0xFF, 0xFF] + both + [complement(both)]
    }

    /// The byte that makes the sum of all bytes zero.
    private static func complement(_ bytes: [UInt8]) -> UInt8 { 0 &- bytes.reduce(0, &+) }
}

/// Decodes a chip's bytes one by one. Bytes between frames are skipped.
package struct PN53xDecoder: Sendable {
    package enum Event: Equatable, Sendable {
        case acknowledged
        /// The code of the answer and its data.
        case answer(Wiped)
        /// The chip did not understand the frame, or does not know the command.
        case syntaxError
        /// A check sum is wrong, a length is invalid, or the data are not from the chip.
        case damaged
    }

    private enum State {
        case searching(afterZero: Bool)
        /// The length bytes received so far.
        case length([UInt8])
        /// Data and their check sum.
        case data(count: Int)
    }

    /// The data received so far.
    @Wiped private var data: [UInt8]
    private var state = State.searching(afterZero: false)

    package init() {}

    package mutating func take(_ byte: UInt8) -> Event? {
        switch state {
        case .searching(let afterZero):
            state = afterZero && byte == 0xFF ? .length([]) : .searching(afterZero: byte == 0)
            return nil
        case .length(let bytes): return takeLength(bytes + [byte])
        case .data(let count):
            guard data.count == count else {
                _data.append(byte)
                return nil
            }
            state = .searching(afterZero: false)
            return event(checksum: byte)
        }
    }

    private mutating func takeLength(_ bytes: [UInt8]) -> Event? {
        switch (bytes.count, bytes.first, bytes.count > 1 ? bytes[1] : 0) {
        case (1, _, _): break
        case (2, 0x00, 0xFF): return found(.acknowledged)
        case (2..<5, 0xFF, 0xFF): break
        case (2, let length?, let check):
            guard length &+ check == 0 else { return found(.damaged) }
            return begin(Int(length))
        default:
            guard bytes[2...].reduce(0, &+) == 0 else { return found(.damaged) }
            return begin(Int(bytes[2]) << 8 | Int(bytes[3]))
        }
        state = .length(bytes)
        return nil
    }

    private mutating func begin(_ count: Int) -> Event? {
        guard (1...PN53xFrame.longestData).contains(count) else { return found(.damaged) }
        data = []
        _data.reserveCapacity(count)
        state = .data(count: count)
        return nil
    }

    private mutating func found(_ event: Event) -> Event {
        state = .searching(afterZero: false)
        return event
    }

    private mutating func event(checksum: UInt8) -> Event {
        defer { data = [] }
        guard data.reduce(checksum, &+) == 0 else { return .damaged }
        if data == [PN53xFrame.syntaxError] { return .syntaxError }
        return data[0] == PN53xFrame.chip && data.count > 1 ? .answer(_data.dropping(first: 1)) : .damaged
    }
}

package import DeviceIO
private import Synchronization

/// A command to an ABECS PIN pad: three letters and blocks, each with its length before it (ABECS
/// 2.12, 2.3.1).
package struct ABECSCommand: Equatable, Sendable {
    /// The maximum length of a block in bytes.
    package static let longestBlock = 999

    package let id: String
    package let blocks: [[UInt8]]

    /// - Parameters:
    ///   - id: Three ASCII characters.
    ///   - blocks: At most 999 bytes each; longer ones are truncated.
    package init(_ id: String, blocks: [[UInt8]] = []) {
        self.id = id
        self.blocks = blocks.map { Array($0.prefix(Self.longestBlock)) }
    }

    /// One of the newer commands, whose block is a list of parameters (3.1.3.1).
    package init(_ id: String, _ parameters: [ABECSParameter]) {
        self.init(id, blocks: parameters.isEmpty ? [] : [parameters.flatMap(\.bytes)])
    }

    package var bytes: [UInt8] { Array(id.utf8) + blocks.flatMap { decimal($0.count, 3) + $0 } }
}

/// A parameter of a command or an answer: its identifier, its length, its value (ABECS 2.12,
/// 3.1.3).
public struct ABECSParameter: Equatable, Sendable {
    /// `SPE_…` of commands and `PP_…` of answers.
    public enum ID: UInt16, Sendable {
        /// `SPE_IDLIST`: the identifiers that GIX is to return, two bytes each, at most 64.
        case idList = 0x0001
        /// `SPE_CEXOPT`: six ASCII digits for CEX: keys,
        /// stripe, chip, contactless, and two reserved.
        case checkedEvents = 0x0006
        /// `SPE_TRACKS`: four ASCII digits for GTK: PAN and
        /// tracks 1 to 3, each `1` if it is to be returned.
        case tracks = 0x0007
        /// Seconds, one byte.
        case timeout = 0x000C
        /// `PP_SERNUM`: up to 32 ASCII characters in the manufacturer's format.
        case serialNumber = 0x8001
        /// `PP_MODEL`: up to 20 ASCII characters, the device's name and its memory.
        case model = 0x8003
        /// `PP_MNNAME`: up to 20 ASCII characters.
        case manufacturer = 0x8004
        /// `PP_SPECVER`: four ASCII characters, such as `2.12`.
        case specification = 0x8007
        /// `PP_EVENT`: two ASCII digits, the event that ended CEX,
        /// such as `90` for a swipe and `92` for a chip card.
        case event = 0x8040
        /// `PP_TRACK1`: ASCII, without sentinels.
        case track1 = 0x8044
        /// `PP_TRACK2`: a half byte for each character, filled up with `F`.
        case track2 = 0x8045
        /// `PP_TRACK3`: a half byte for each character, filled up with `F`.
        case track3 = 0x8046
    }

    public let id: UInt16
    /// The encoding depends on the identifier. With its header of four bytes, the value fits into a
    /// block of 999 bytes.
    public let value: [UInt8]

    /// A parameter that the driver uses; `value` is sent unchanged.
    public init(_ id: ID, _ value: [UInt8]) {
        self.init(id: id.rawValue, value)
    }

    /// A parameter with any identifier, two bytes on the line, high byte first.
    public init(id: UInt16, _ value: [UInt8]) {
        self.id = id
        self.value = value
    }

    var bytes: [UInt8] { pair(id) + pair(UInt16(truncatingIfNeeded: value.count)) + value }

    /// The parameters of a block; nil if they do not fill it exactly.
    public static func list(_ block: [UInt8]) -> [ABECSParameter]? {
        var found: [ABECSParameter] = []
        var rest = block[...]
        while !rest.isEmpty {
            guard rest.count >= 4 else { return nil }
            let header = Array(rest.prefix(4))
            let length = Int(header[2]) << 8 | Int(header[3])
            rest = rest.dropFirst(4)
            guard rest.count >= length else { return nil }
            found.append(ABECSParameter(id: UInt16(header[0]) << 8 | UInt16(header[1]), Array(rest.prefix(length))))
            rest = rest.dropFirst(length)
        }
        return found
    }

    private func pair(_ number: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: number >> 8), UInt8(number & 0xFF)] }
}

/// Values may contain card data, so descriptions omit them.
extension ABECSParameter: CustomStringConvertible, CustomReflectable {
    public var description: String { "parameter \(String(id, radix: 16)), \(value.count) bytes" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// An answer of an ABECS PIN pad (ABECS 2.12, 2.3.2).
package struct ABECSAnswer: Equatable, Sendable {
    /// The identifier of the answered command, `NTM` for a notification in between, or `ERR` for an
    /// unknown command.
    package let id: String
    package let status: ABECSStatus
    package let blocks: [[UInt8]]

    /// - Returns: Nil unless the packet consists of three letters, three digits and complete
    ///   blocks.
    package init?(_ packet: [UInt8]) {
        guard packet.count >= 6, packet.prefix(3).allSatisfy({ (0x41...0x5A).contains($0) }),
            let status = number(packet[3..<6])
        else {
            return nil
        }
        var found: [[UInt8]] = []
        var rest = packet[6...]
        while !rest.isEmpty {
            guard rest.count >= 3, let length = number(rest.prefix(3)), rest.count >= 3 + length else { return nil }
            found.append(Array(rest.dropFirst(3).prefix(length)))
            rest = rest.dropFirst(3 + length)
        }
        id = String(decoding: packet.prefix(3), as: UTF8.self)
        self.status = ABECSStatus(rawValue: status)
        blocks = found
    }

    /// The parameters of all blocks; nil if a block is not a list of parameters.
    package var parameters: [ABECSParameter]? {
        var all: [ABECSParameter] = []
        for block in blocks {
            guard let list = ABECSParameter.list(block) else { return nil }
            all += list
        }
        return all
    }

    /// Two lines of sixteen characters, ISO/IEC 8859-1, without trailing blanks; nil if the answer
    /// is not a notification.
    package var notification: [String]? {
        guard id == "NTM", let text = blocks.first else { return nil }
        return stride(from: 0, to: text.count, by: 16).map { start in
            var line = text[start..<min(start + 16, text.count)]
            while line.last == 0x20 { line.removeLast() }
            return String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) }))
        }
    }
}

/// Blocks may contain card data, so descriptions omit them.
extension ABECSAnswer: CustomStringConvertible, CustomReflectable {
    package var description: String { "\(id) \(status.rawValue), \(blocks.count) blocks" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// `number` with leading zeros, in `count` digits.
func decimal(_ number: Int, _ count: Int) -> [UInt8] {
    let digits = Array(String(number).utf8.suffix(count))
    return [UInt8](repeating: UInt8(ascii: "0"), count: count - digits.count) + digits
}

private func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for digit in digits {
        guard (0x30...0x39).contains(digit) else { return nil }
        value = value * 10 + Int(digit - 0x30)
    }
    return value
}

/// Decides which bytes of an ABECS PIN pad's line a recording may show.
package enum ABECSRedaction {
    /// Commands whose blocks contain no card data and no PIN.
    private static let open: Set<String> = [
        "OPN", "CLO", "CLX", "GIX", "GIN", "DSP", "DEX", "MNU", "RMC", "NTM", "ERR",
    ]

    /// For one recording: it follows the packets of both directions, however reads and writes split
    /// them. If a packet may contain card data, only its beginning with command and status, and its
    /// end byte without the checksum, are shown.
    package static func redaction() -> WireRecorder.Redaction {
        let positions = Mutex<[WireEvent.Direction: Position]>([:])
        return { direction, _, bytes in
            positions.withLock { positions in
                var position = positions[direction] ?? Position()
                defer { positions[direction] = position }
                return bytes.indices.filter { position.hides(bytes[$0], direction) }.map { $0..<($0 + 1) }
            }
        }
    }

    /// The position of a direction within its packet.
    private struct Position {
        /// Bytes since the packet's start; nil outside.
        private var count: Int?
        private var id: [UInt8] = []
        /// Remaining bytes of the checksum.
        private var check = 0
        private var isOpen: Bool { ABECSRedaction.open.contains(String(decoding: id, as: UTF8.self)) }

        mutating func hides(_ byte: UInt8, _ direction: WireEvent.Direction) -> Bool {
            if check > 0 {
                check -= 1
                return !isOpen
            }
            if byte == ABECSFrame.start {
                (count, id) = (0, [])
                return false
            }
            guard let place = count else { return ABECSFrame.Control(rawValue: byte) == nil }
            if byte == ABECSFrame.end {
                (count, check) = (nil, 2)
                return false
            }
            count = place + 1
            if place < 3 { id.append(byte) }
            // The letters and the status of an answer are shown, and the first length of a command.
            return place >= 6 && !isOpen
        }
    }
}

private import Bytes

/// One observed transfer over a device's wire.
public struct WireEvent: Sendable, Equatable {
    public enum Direction: Character, Sendable {
        case sent = ">"
        case received = "<"
    }

    /// The kind of transfer.
    public enum Channel: Sendable, Equatable {
        case stream
        case report(UInt8)
        case feature(UInt8)
        /// A bulk or interrupt endpoint, with the direction in bit 7.
        case endpoint(UInt8)
        case control(USBRequest)
    }

    public let direction: Direction
    public let channel: Channel
    public let bytes: [UInt8]
    /// Parts of ``bytes`` that are not shown.
    public let hidden: [Range<Int>]

    public init(_ direction: Direction, _ channel: Channel, bytes: [UInt8], hidden: [Range<Int>] = []) {
        self.direction = direction
        self.channel = channel
        self.bytes = bytes
        self.hidden = hidden
    }
}

/// As a line of a recording: direction, channel, and the bytes in hexadecimal with `..` for each
/// that is not shown.
extension WireEvent: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(direction.rawValue) \(channel) \(text)" }

    public var customMirror: Mirror { Mirror(self, children: []) }

    private var text: String {
        bytes.indices.map { index in hidden.contains { $0.contains(index) } ? ".." : bytes[index].hex }.joined()
    }

    /// Reads a line of a recording; nil if it is not such a line, or if it has hidden bytes, which
    /// cannot be replayed.
    public init?(line: some StringProtocol) {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, let first = parts[0].first, parts[0].count == 1,
            let direction = Direction(rawValue: first),
            let channel = Channel(String(parts[1])), let bytes = try? [UInt8](hex: String(parts[2]))
        else { return nil }
        self.init(direction, channel, bytes: bytes)
    }
}

extension WireEvent.Channel: CustomStringConvertible {
    public var description: String {
        switch self {
        case .stream: "stream"
        case .report(let number): "report:\(number.hex)"
        case .feature(let number): "feature:\(number.hex)"
        case .endpoint(let address): "endpoint:\(address.hex)"
        case .control(let request):
            "control:\(request.kind.rawValue.hex):\(request.request.hex):\(hex(request.value)):\(hex(request.index))"
        }
    }

    private func hex(_ value: UInt16) -> String { UInt8(truncatingIfNeeded: value >> 8).hex + UInt8(value & 0xFF).hex }

    init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.dropFirst().compactMap { UInt16($0, radix: 16) }
        guard numbers.count == parts.count - 1 else { return nil }
        let byte = numbers.first.flatMap { UInt8(exactly: $0) }
        switch (parts.first, numbers.count, byte) {
        case ("stream", 0, _): self = .stream
        case ("report", 1, let number?): self = .report(number)
        case ("feature", 1, let number?): self = .feature(number)
        case ("endpoint", 1, let address?): self = .endpoint(address)
        case ("control", 4, let kind?):
            guard let kind = USBRequest.Kind(rawValue: kind), let request = UInt8(exactly: numbers[1]) else {
                return nil
            }
            self = .control(USBRequest(kind, request, value: numbers[2], index: numbers[3]))
        default: return nil
        }
    }
}

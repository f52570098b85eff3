/// The packets of a capture file: pcap (draft-ietf-opsawg-pcap) or the blocks of pcapng that
/// contain them (draft-ietf-opsawg-pcapng).
struct CaptureFile {
    struct Packet {
        /// From 1.
        let number: Int
        let linkType: UInt32
        /// Since 1970; nil in a pcapng file, whose interfaces have their own units.
        let time: Duration?
        let bytes: ArraySlice<UInt8>
        /// The length of the packet before the capture truncated it.
        let fullLength: Int
    }

    enum Element {
        case packet(Packet)
        case broken(LogProblem)
    }

    private var rest: Cursor
    private var number = 0
    private let isNextGeneration: Bool
    private let hasNanoseconds: Bool
    private var linkTypes: [UInt32] = []
    /// Whether the position of the next packet is lost.
    private var isLost = false

    static func hasMagic(_ bytes: [UInt8]) -> Bool {
        magics.contains { bytes.starts(with: $0) }
    }

    private static let nextGeneration: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]
    /// Times in microseconds and in nanoseconds, of either byte order.
    private static let magics: [[UInt8]] = [
        [0xD4, 0xC3, 0xB2, 0xA1], [0x4D, 0x3C, 0xB2, 0xA1], [0xA1, 0xB2, 0xC3, 0xD4], [0xA1, 0xB2, 0x3C, 0x4D],
        nextGeneration,
    ]

    init(_ bytes: [UInt8]) throws(LogProblem) {
        guard Self.hasMagic(bytes) else { throw LogProblem(.whole, .notACapture) }
        isNextGeneration = bytes.starts(with: Self.nextGeneration)
        hasNanoseconds = bytes.starts(with: [0x4D, 0x3C]) || bytes.starts(with: [0xA1, 0xB2, 0x3C])
        rest = Cursor(bytes[...], isBigEndian: bytes[0] == 0xA1)
        guard !isNextGeneration else { return }
        guard let header = rest.take(24),
            let linkType = Cursor(header.dropFirst(20), isBigEndian: rest.isBigEndian).peek32()
        else {
            throw LogProblem(.whole, .brokenCapture(.cutHeader))
        }
        linkTypes = [linkType & 0x0FFF_FFFF]
    }

    mutating func next() -> Element? {
        guard !isLost, !rest.bytes.isEmpty else { return nil }
        return isNextGeneration ? nextBlock() : nextRecord()
    }

    private mutating func lost(_ fault: LogProblem.CaptureFault) -> Element {
        isLost = true
        return .broken(LogProblem(.packet(number + 1), .brokenCapture(fault)))
    }

    private mutating func nextRecord() -> Element? {
        guard let header = rest.take(16) else { return lost(.cutPacketHeader) }
        var fields = Cursor(header, isBigEndian: rest.isBigEndian)
        guard let seconds = fields.take32(), let fraction = fields.take32(), let length = fields.take32(),
            let full = fields.take32(),
            let bytes = rest.take(Int(length))
        else {
            return lost(.cutPacket)
        }
        number += 1
        let time =
            Duration.seconds(Int64(seconds))
            + (hasNanoseconds ? .nanoseconds(Int64(fraction)) : .microseconds(Int64(fraction)))
        return .packet(Packet(number: number, linkType: linkTypes[0], time: time, bytes: bytes, fullLength: Int(full)))
    }

    private mutating func nextBlock() -> Element? {
        while !rest.bytes.isEmpty {
            if rest.bytes.starts(with: Self.nextGeneration) {
                // The magic number after the length gives the byte order of a section.
                let magic = Array(rest.bytes.dropFirst(8).prefix(4))
                guard magic == [0x1A, 0x2B, 0x3C, 0x4D] || magic == [0x4D, 0x3C, 0x2B, 0x1A] else {
                    return lost(.sectionWithoutByteOrder)
                }
                rest.isBigEndian = magic[0] == 0x1A
                linkTypes = []
            }
            var header = rest
            guard let type = header.take32(), let length = header.take32(), length >= 12, length % 4 == 0,
                let block = rest.take(Int(length))
            else {
                return lost(.cutBlock)
            }
            var body = Cursor(block.dropFirst(8).dropLast(4), isBigEndian: rest.isBigEndian)
            switch type {
            case 1:
                guard let linkType = body.peek32(), linkTypes.count < 1024 else { return lost(.unreadableInterface) }
                linkTypes.append(linkType & 0xFFFF)
            case 3:
                guard let full = body.take32(), let linkType = linkTypes.first else {
                    return lost(.packetWithoutInterface)
                }
                number += 1
                return .packet(
                    Packet(
                        number: number, linkType: linkType, time: nil, bytes: body.bytes.prefix(Int(full)),
                        fullLength: Int(full)))
            case 6:
                guard let interface = body.take32(), body.take(8) != nil, let captured = body.take32(),
                    let full = body.take32(),
                    let bytes = body.take(Int(captured)), Int(interface) < linkTypes.count
                else { return lost(.unreadablePacket) }
                number += 1
                return .packet(
                    Packet(
                        number: number, linkType: linkTypes[Int(interface)], time: nil, bytes: bytes,
                        fullLength: Int(full)))
            default: continue
            }
        }
        return nil
    }
}

/// Bytes that are read one after the other.
struct Cursor {
    private(set) var bytes: ArraySlice<UInt8>
    var isBigEndian: Bool

    init(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) {
        self.bytes = bytes
        self.isBigEndian = isBigEndian
    }

    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= bytes.count else { return nil }
        defer { bytes = bytes.dropFirst(count) }
        return bytes.prefix(count)
    }

    mutating func take32() -> UInt32? {
        defer { bytes = bytes.dropFirst(4) }
        return peek32()
    }

    mutating func take64() -> UInt64? {
        guard let first = take32(), let second = take32() else { return nil }
        return isBigEndian ? UInt64(first) << 32 | UInt64(second) : UInt64(second) << 32 | UInt64(first)
    }

    func peek32() -> UInt32? {
        guard bytes.count >= 4 else { return nil }
        let four = bytes.prefix(4)
        return (isBigEndian ? Array(four) : four.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
    }
}

private import Bytes

/// The terminal's side of T=0, as a state machine: it takes the card's bytes and returns the next
/// step (ISO/IEC 7816-3:2006, 10.3).
public struct T0Exchange: Sendable {
    public enum Step: Sendable, Equatable {
        /// Send these bytes, then receive `expected` bytes.
        case send([UInt8], expected: Int)
        /// The answer: data and status word.
        case done([UInt8])
    }

    /// How often a card may request more time within a command.
    static let maximumWaits = 2048

    private enum State {
        case procedure
        case data(remaining: Int)
        case secondStatus(UInt8)
    }

    private let instruction: UInt8
    private let header: [UInt8]
    private var outgoing: ArraySlice<UInt8>
    /// Remaining bytes from the card.
    private var incoming: Int
    @Wiped private var received: [UInt8]
    private var waits = 0
    private var state = State.procedure

    /// - Parameter command: CLA INS P1 P2 P3, and P3 bytes of data if it has data; without data P3
    ///   is the number of bytes expected, 0 meaning 256.
    public init(_ command: [UInt8]) {
        header = Array(command.prefix(5))
        instruction = command.count > 1 ? command[1] : 0
        outgoing = command.dropFirst(5)
        incoming = command.count == 5 ? (command[4] == 0 ? 256 : Int(command[4])) : 0
    }

    public var start: Step { .send(header, expected: 1) }

    /// - Parameter bytes: The bytes requested; fewer bytes end the exchange.
    public mutating func take(_ bytes: [UInt8]) throws(CardChannelError) -> Step {
        guard let byte = bytes.first else { throw .timedOut }
        switch state {
        case .data(let remaining):
            guard bytes.count <= remaining else { throw .malformedAnswer(.excessData) }
            _received.append(contentsOf: bytes)
            incoming -= bytes.count
            guard bytes.count == remaining else {
                state = .data(remaining: remaining - bytes.count)
                return .send([], expected: remaining - bytes.count)
            }
            state = .procedure
            return .send([], expected: 1)
        case .secondStatus(let first): return .done(received + [first, byte])
        case .procedure: return try procedure(byte)
        }
    }

    private mutating func procedure(_ byte: UInt8) throws(CardChannelError) -> Step {
        switch byte {
        case 0x60:
            waits += 1
            guard waits <= Self.maximumWaits else { throw .timedOut }
            return .send([], expected: 1)
        case instruction, ~instruction:
            let isAll = byte == instruction
            if !outgoing.isEmpty {
                let part = Array(isAll ? outgoing : outgoing.prefix(1))
                outgoing = outgoing.dropFirst(part.count)
                return .send(part, expected: 1)
            }
            guard incoming > 0 else { throw .malformedAnswer(.excessRequest) }
            let expected = isAll ? incoming : 1
            state = .data(remaining: expected)
            return .send([], expected: expected)
        case 0x61...0x6F, 0x90...0x9F:
            state = .secondStatus(byte)
            return .send([], expected: 1)
        default: throw .malformedAnswer(.invalidProcedureByte)
        }
    }
}

extension CommandAPDU {
    /// The command in the form of T=0: without Le if it has data, and with a P3 of 0 if it has
    /// neither (ISO/IEC 7816-3:2006, 12.2).
    public func t0() throws(CardChannelError) -> [UInt8] {
        guard data.count <= 255, (expectedLength ?? 0) <= 256 else {
            throw .readerFailed(.noExtendedCommands)
        }
        // fits: at most 255 bytes, checked above
        guard data.isEmpty else { return header + [UInt8(data.count)] + data }
        return header + [UInt8(truncatingIfNeeded: expectedLength ?? 0)]
    }
}

public import SmartCard

/// A card's side of T=1, written from the rules of ISO/IEC 7816-3:2006, 11.6.3, without a line of
/// the terminal's: whole commands in, whole answers out.
public struct T1Card {
    /// What happens to a block on its way.
    public enum Accident: CaseIterable, Sendable {
        /// Nothing of it arrives.
        case loss
        /// One of its bytes arrives changed.
        case damage
        /// The reader sees wrong parity, or the card does.
        case parity
        /// Its last byte is cut off.
        case cut
    }

    private enum Sent {
        case nothing
        case information(UInt8)
        case ready
        case request
    }

    public var checksum = CardParameters.Checksum.lrc
    /// The longest field that the card takes; a block with a longer one is damaged to it.
    public var fieldSize = 32
    /// Times by which it asks for the block waiting time before it answers.
    public var extensions: [UInt8] = []
    /// What it asks IFSC to be before it answers.
    public var newFieldSize: UInt8?
    public var aborts = false
    /// By number of the block from 0, both directions counted together: the terminal's are the even
    /// ones.
    public var accidents: [Int: Accident] = [:]
    private let answer: ([UInt8]) -> [UInt8]

    public private(set) var executed: [[UInt8]] = []
    public private(set) var resynchronizations = 0
    public private(set) var blocks = 0
    /// The longest field that came and that it sent.
    public private(set) var longestTaken = 0
    public private(set) var longestSent = 0
    /// Waiting times that the terminal granted.
    public private(set) var granted: [Int] = []

    private var deviceFieldSize = 32
    private var sendNumber: UInt8 = 0
    private var receiveNumber: UInt8 = 0
    private var incoming: [UInt8] = []
    private var outgoing: ArraySlice<UInt8>?
    private var pending: [[UInt8]] = []
    private var sent = Sent.nothing
    private var lastBytes: [UInt8] = []

    public init(answer: @escaping ([UInt8]) -> [UInt8]) { self.answer = answer }

    /// The wire to the card and back.
    public mutating func take(_ block: [UInt8], _ waitingTimes: Int) -> T1Exchange.Reception {
        granted.append(waitingTimes)
        let there = accidents[blocks]
        let back = accidents[blocks + 1]
        blocks += 2
        if there == .loss { return .silence }
        let reply = receive(there == nil ? block : Self.spoil(block, there))
        switch back {
        case nil: return .bytes(reply)
        case .loss: return .silence
        case .parity: return .damaged
        case .damage, .cut: return .bytes(Self.spoil(reply, back))
        }
    }

    private static func spoil(_ block: [UInt8], _ accident: Accident?) -> [UInt8] {
        var block = block
        switch accident {
        case .cut: block.removeLast()
        default: block[block.count / 2] ^= 0x10
        }
        return block
    }

    private mutating func receive(_ bytes: [UInt8]) -> [UInt8] {
        guard let (control, field) = opened(bytes) else { return again(error: 1) }
        switch control {
        case 0x00, 0x20, 0x40, 0x60:
            if case .request = sent { return again(error: 2) }
            guard control >> 6 & 1 == receiveNumber else { return again(error: 2) }
            return information(field, more: control & 0x20 != 0)
        case 0xC0:
            resynchronizations += 1
            (sendNumber, receiveNumber) = (0, 0)
            (incoming, outgoing, pending) = ([], nil, [])
            sent = .nothing
            return close(0xE0, [])
        case 0xC1:
            deviceFieldSize = Int(field[0])
            return close(0xE1, field)
        case 0xE1, 0xE3: return supervised(control, field)
        case 0xE2: return ready(0)
        case let control where control & 0xC0 == 0x80: return block(control >> 4 & 1)
        default: return again(error: 2)
        }
    }

    private mutating func information(_ field: [UInt8], more: Bool) -> [UInt8] {
        longestTaken = max(longestTaken, field.count)
        // A new command acknowledges the last block of the answer before it.
        if case .information(let last) = sent { sendNumber = last ^ 1 }
        (sent, outgoing) = (.nothing, nil)
        receiveNumber ^= 1
        incoming += field
        if aborts { return request(0xC2, []) }
        guard !more else { return ready(0) }
        executed.append(incoming)
        outgoing = answer(incoming)[...]
        incoming = []
        pending = extensions.map { [0xC3, $0] }
        if let newFieldSize { pending.append([0xC1, newFieldSize]) }
        return advance()
    }

    /// The answer to a request of the card's: it counts if it says the same.
    private mutating func supervised(_ control: UInt8, _ field: [UInt8]) -> [UInt8] {
        guard case .request = sent, let asked = pending.first, control == asked[0] | 0x20,
            field == Array(asked.dropFirst())
        else {
            return again(error: 2)
        }
        pending.removeFirst()
        if asked[0] == 0xC1 { fieldSize = Int(asked[1]) }
        return advance()
    }

    private mutating func advance() -> [UInt8] {
        if let asked = pending.first { return request(asked[0], Array(asked.dropFirst())) }
        let rest = outgoing ?? []
        let part = Array(rest.prefix(deviceFieldSize))
        outgoing = rest.dropFirst(part.count)
        longestSent = max(longestSent, part.count)
        sent = .information(sendNumber)
        return close(sendNumber << 6 | (outgoing?.isEmpty == true ? 0 : 0x20), part)
    }

    /// R with the number of the block that the terminal expects.
    private mutating func block(_ number: UInt8) -> [UInt8] {
        switch sent {
        case .information(let last) where last != number:
            sendNumber = number
            guard outgoing?.isEmpty == false else { return ready(0) }
            return advance()
        case .nothing: return ready(0)
        default: return lastBytes
        }
    }

    /// Rules 7.1 to 7.3: what was sent last is sent again, or the block asked for that is expected.
    private mutating func again(error: UInt8) -> [UInt8] {
        switch sent {
        case .request: return lastBytes
        default: return ready(error)
        }
    }

    private mutating func ready(_ error: UInt8) -> [UInt8] {
        // The block of an answer stays the last one until it is acknowledged.
        if case .information = sent { return frame(0x80 | receiveNumber << 4 | error, []) }
        sent = .ready
        return close(0x80 | receiveNumber << 4 | error, [])
    }

    private mutating func request(_ control: UInt8, _ field: [UInt8]) -> [UInt8] {
        sent = .request
        return close(control, field)
    }

    private mutating func close(_ control: UInt8, _ field: [UInt8]) -> [UInt8] {
        lastBytes = frame(control, field)
        return lastBytes
    }

    private func frame(_ control: UInt8, _ field: [UInt8]) -> [UInt8] {
        let body = [0, control, UInt8(field.count)] + field
        return body + epilogue(body)
    }

    private func opened(_ bytes: [UInt8]) -> (UInt8, [UInt8])? {
        let width = checksum == .lrc ? 1 : 2
        guard bytes.count >= 3 + width, Int(bytes[2]) == bytes.count - 3 - width, Int(bytes[2]) <= max(fieldSize, 1)
        else { return nil }
        guard epilogue(Array(bytes.dropLast(width))) == Array(bytes.suffix(width)) else { return nil }
        return (bytes[1], Array(bytes[3..<(bytes.count - width)]))
    }

    private func epilogue(_ bytes: [UInt8]) -> [UInt8] {
        checksum == .lrc ? [bytes.reduce(0, ^)] : frameCheckSequence(bytes)
    }
}

/// The frame check sequence of ISO/IEC 13239, by long division: the message as a polynomial, most
/// significant bit of the register out first, each byte's least significant bit in first.
public func frameCheckSequence(_ bytes: [UInt8]) -> [UInt8] {
    var register: UInt32 = 0xFFFF
    for byte in bytes {
        for bit in 0..<8 {
            let isSet = (register >> 15) ^ UInt32(byte >> bit & 1) == 1
            register = register << 1 & 0xFFFF ^ (isSet ? 0x1021 : 0)
        }
    }
    // Sent in the order in which the division leaves it, so the register's first bits are the first
    // byte's least significant.
    let complement = ~register & 0xFFFF
    func reversed(_ byte: UInt32) -> UInt8 {
        (0..<8).reduce(0) { $0 | UInt8(byte >> (7 - UInt32($1)) & 1) << UInt8($1) }
    }
    return [reversed(complement >> 8), reversed(complement & 0xFF)]
}

import Bytes
package import SmartCard

/// A card's side of ISO/IEC 14443-4, written from rules D, E and 9 to 13 of its 7.5 (2008) without
/// a line of the reader's: whole commands in, whole answers out.
package struct ISODEPCard {
    /// What happens to a block on its way.
    package enum Accident: CaseIterable, Sendable {
        /// Nothing of it arrives.
        case loss
        /// Its CRC is wrong on arrival.
        case damage
    }

    /// FSC, in bytes.
    package var frameSize = 64
    /// Bytes of the answer in one block.
    package var partSize = 253
    /// Multipliers by which it asks for more time before it answers.
    package var extensions: [UInt8] = []
    /// By number of the block from 0, both directions counted together: the reader's are the even
    /// ones.
    package var accidents: [Int: Accident] = [:]
    /// From this block on it is out of the field.
    package var leavesAt: Int?
    /// Nil for a card that stays silent.
    private let answer: ([UInt8]) -> [UInt8]?

    package private(set) var executed: [[UInt8]] = []
    package private(set) var blocks = 0
    /// The longest frame that came, its CRC included.
    package private(set) var longestTaken = 0
    /// The waiting times that the reader had.
    package private(set) var waitingTimes: [Duration] = []
    package private(set) var isDeselected = false

    private var number: UInt8 = 1
    private var incoming: [UInt8] = []
    private var outgoing: ArraySlice<UInt8> = []
    private var pending: ArraySlice<UInt8> = []
    private var last: [UInt8] = []

    package init(answer: @escaping ([UInt8]) -> [UInt8]?) { self.answer = answer }

    /// The field to the card and back.
    package mutating func take(_ block: [UInt8], _ waitingTime: Duration) -> ISODEPExchange.Reception {
        waitingTimes.append(waitingTime)
        longestTaken = max(longestTaken, block.count + 2)
        let (there, back) = (blocks, blocks + 1)
        blocks += 2
        guard accidents[there] == nil, leavesAt ?? .max > there, !isDeselected, block.count + 2 <= frameSize,
            let reply = receive(block)
        else { return .silence }
        last = reply
        guard leavesAt ?? .max > back else { return .silence }
        switch accidents[back] {
        case nil: return .block(Wiped(reply))
        case .loss: return .silence
        case .damage: return .damaged
        }
    }

    private mutating func receive(_ block: [UInt8]) -> [UInt8]? {
        let control = block[0]
        switch control {
        case 0x02, 0x03, 0x12, 0x13:
            number ^= 1
            incoming += block.dropFirst()
            guard control & 0x10 == 0 else { return [0xA2 | number] }
            executed.append(incoming)
            let whole = answer(incoming)
            incoming = []
            guard let whole else { return nil }
            outgoing = whole[...]
            pending = extensions[...]
            return advance()
        case 0xA2 | number, 0xB2 | number: return last
        case 0xB2, 0xB3: return [0xA2 | number]
        case 0xA2, 0xA3:
            number ^= 1
            return advance()
        case 0xF2 where pending.first == block[1]:
            pending = pending.dropFirst()
            return advance()
        case 0xC2:
            isDeselected = true
            return [0xC2]
        default: return nil
        }
    }

    private mutating func advance() -> [UInt8] {
        if let multiplier = pending.first { return [0xF2, multiplier] }
        let part = outgoing.prefix(partSize)
        outgoing = outgoing.dropFirst(part.count)
        return [outgoing.isEmpty ? 0x02 | number : 0x12 | number] + part
    }
}

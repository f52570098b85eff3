import Bytes
package import CardModels
import Foundation
package import SmartCard

/// A card that can be held to an emulated contactless reader.
package struct EmulatedContactlessCard: Sendable {
    package enum Kind: Sendable {
        /// SAK, and its answer to select.
        case typeA(select: UInt8 = 0x20, answerToSelect: [UInt8] = [0x05, 0x78, 0x80, 0x70, 0x02])
        /// From `50` on.
        case typeB(answerToRequest: [UInt8] = [0x50, 1, 2, 3, 4, 0, 0, 0, 0, 0x80, 0x81, 0x71])
    }

    package var kind: Kind
    package var change: @Sendable (inout ISODEPCard) -> Void = { _ in }
    /// The chip that plays the card; it decides itself whether and as what it answers.
    fileprivate let chip: EmulatedPN532Target?
    private let answer: @Sendable ([UInt8]) -> [UInt8]?

    package init(kind: Kind = .typeA(), channel: any CardChannel) {
        self.kind = kind
        chip = nil
        answer = { bytes in
            guard let command = CommandAPDU(bytes) else { return [0x67, 0x00] }
            let answer: ResponseAPDU?? = blocking { try? await channel.transmit(command) }
            return answer.flatMap(\.self)?.bytes ?? [0x6F, 0x00]
        }
    }

    /// What another chip plays, through the air between the two.
    package init(playedBy chip: EmulatedPN532Target) {
        kind = .typeA()
        self.chip = chip
        answer = { chip.exchange($0) }
    }

    /// Its side of the protocol, from an activation on.
    fileprivate func session() -> ISODEPCard {
        var card = ISODEPCard(answer: answer)
        card.frameSize = 256
        if chip != nil { (card.frameSize, card.partSize) = (64, 61) }
        change(&card)
        return card
    }
}

/// A PN532 or PN533 as NXP's user manual UM0701-02 describes it, knowing nothing of the driver:
/// commands in, answers out, cards in its field. It can misbehave, by number of the command from 0.
package final class EmulatedPN53x: @unchecked Sendable {
    package enum Fault: Sendable, Equatable {
        case losesAcknowledgment
        case damagesAcknowledgment
        /// So many times, one after the other.
        case damagesAnswer(Int)
        case doesNotUnderstand(Int)
        case isSilent
        /// An answer to another command comes first.
        case isStale
        case stalesForEver
        /// In single bytes.
        case dribbles
        /// A length that no answer has.
        case isTooLong
        /// So many bytes of the answer come, and no more.
        case cuts(Int)
        /// The answer's data are these.
        case answers([UInt8])
        /// It is answered when the next command has come, unless it is called off.
        case hangs
        case unplugs
        /// The cards leave before it.
        case clearsField
    }

    private enum Activation {
        case found
        case attributed
        case halted
        case woken
        case session(ISODEPCard)
    }

    private struct State {
        var cards: [EmulatedContactlessCard] = []
        var faults: [Int: Fault] = [:]
        var commands: [[UInt8]] = []
        var isFieldOn = false
        var hasAutomatics = true
        var active: (card: EmulatedContactlessCard, activation: Activation)?
        var isAwake = false
        var lastAnswer: [UInt8] = []
        var damages = 0
        var misunderstandings = 0
        var isHanging = false
        var listener: CheckedContinuation<Void, Never>?
        var aborts = 0
        var isCleared = false
    }

    private let lock = NSLock()
    private var state = State()
    package let code: UInt8

    package init(code: UInt8 = 0x32, _ cards: [EmulatedContactlessCard] = []) {
        self.code = code
        locked { $0.cards = cards }
    }

    private func locked<Value>(_ body: (inout State) -> Value) -> Value { lock.withLock { body(&state) } }

    // MARK: What the test does

    package var commands: [[UInt8]] { locked { $0.commands } }
    package var isFieldOn: Bool { locked { $0.isFieldOn } }
    package var aborts: Int { locked { $0.aborts } }

    package func put(_ cards: [EmulatedContactlessCard]) {
        locked {
            for card in $0.cards { card.chip?.loseField() }
            $0.cards = cards
            $0.isCleared = false
        }
    }

    package func fault(_ fault: Fault?, at number: Int) { locked { $0.faults[number] = fault } }

    /// Forgets the commands so far, so that the next is number 0.
    package func forget() { locked { $0.commands = [] } }

    /// Until a command hangs.
    package func untilHanging() async {
        await withCheckedContinuation { continuation in
            let isHanging = locked { state in
                if !state.isHanging { state.listener = continuation }
                return state.isHanging
            }
            if isHanging { continuation.resume() }
        }
    }

    // MARK: Frames

    /// What goes back for a frame, in pieces; nil for a chip that is unplugged.
    package func take(_ frame: EmulatedHostFrame) -> [[UInt8]]? {
        switch frame {
        case .acknowledgment:
            locked {
                $0.aborts += 1
                $0.isHanging = false
            }
            return []
        case .refusal: return [again()]
        case .data(let data):
            let (number, fault) = locked { state in
                state.commands.append(Array(data.dropFirst()))
                return (state.commands.count - 1, state.faults[state.commands.count - 1])
            }
            return answer(data, number, fault)
        }
    }

    private func answer(_ data: [UInt8], _ number: Int, _ fault: Fault?) -> [[UInt8]]? {
        let acknowledgment: [UInt8] = [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00]
        switch fault {
        case .unplugs: return nil
        case .isSilent: return []
        case .doesNotUnderstand(let times):
            let isRefused = locked { state in
                state.misunderstandings += 1
                // The command will come again with the same number.
                if state.misunderstandings <= times { state.commands.removeLast() }
                return state.misunderstandings <= times
            }
            if isRefused { return [acknowledgment, [0x00, 0x00, 0xFF, 0x01, 0xFF, 0x7F, 0x81, 0x00]] }
        case .clearsField: locked { $0.isCleared = true }
        case .hangs:
            let listener = locked { state in
                state.isHanging = true
                defer { state.listener = nil }
                return state.listener
            }
            listener?.resume()
            return [acknowledgment]
        default: break
        }
        var reply = execute(Array(data.dropFirst()))
        if case .answers(let bytes) = fault { reply = [data[1] &+ 1] + bytes }
        let frame = Self.frame([0xD5] + reply)
        locked {
            $0.lastAnswer = frame
            $0.damages = 0
        }
        switch fault {
        case .losesAcknowledgment: return [frame]
        case .damagesAcknowledgment: return [[0x00, 0x00, 0xFF, 0x00, 0xFE, 0x00], frame]
        case .damagesAnswer(let times):
            locked { $0.damages = times }
            return [acknowledgment, again()]
        case .isStale: return [acknowledgment, Self.frame([0xD5, 0x7D, 0x00]), frame]
        case .stalesForEver: return [acknowledgment] + [[UInt8]](repeating: Self.frame([0xD5, 0x7D, 0x00]), count: 100)
        case .dribbles: return (acknowledgment + frame).map { [$0] }
        case .isTooLong: return [acknowledgment, [0x00, 0x00, 0xFF, 0xFF, 0xFF, 0x40, 0x00, 0xC0]]
        case .cuts(let count): return [acknowledgment, Array(frame.prefix(count))]
        default: return [acknowledgment, frame]
        }
    }

    /// The last answer, damaged where that is still to be.
    private func again() -> [UInt8] {
        locked { state in
            var frame = state.lastAnswer
            if state.damages > 0 {
                state.damages -= 1
                frame[frame.count - 2] ^= 0x01
            }
            return frame
        }
    }

    static func frame(_ data: [UInt8]) -> [UInt8] {
        var sum: UInt8 = 0
        for byte in data { sum &+= byte }
        let (high, low) = (UInt8(data.count / 256), UInt8(data.count % 256))
        let length = data.count < 256 ? [low, 0 &- low] : [0xFF, 0xFF, high, low, 0 &- (high &+ low)]
        return [0x00, 0x00, 0xFF] + length + data + [0 &- sum, 0x00]
    }

    // MARK: Commands

    package func execute(_ command: [UInt8]) -> [UInt8] {
        let code = command[0] &+ 1
        switch command[0] {
        case 0x02: return [code, self.code, 0x01, 0x06, 0x07]
        case 0x12:
            locked { $0.hasAutomatics = command[1] & 0x10 != 0 }
            return [code]
        case 0x32 where command[1] == 0x01:
            locked {
                $0.isFieldOn = command[2] & 0x01 != 0
                $0.active = nil
                for card in $0.cards { card.chip?.loseField() }
            }
            return [code]
        case 0x4A: return [code] + list(atMost: Int(command[1]), isTypeB: command[2] == 0x03)
        case 0x42: return [code] + exchange(Array(command.dropFirst()))
        case 0x52: return [code, 0x00]
        default: return [code]
        }
    }

    private func list(atMost count: Int, isTypeB: Bool) -> [UInt8] {
        locked { state in
            state.active = nil
            let present = state.isFieldOn && !state.isCleared ? state.cards : []
            let found = present.compactMap { card -> EmulatedContactlessCard? in
                var card = card
                if let chip = card.chip {
                    guard let kind = chip.select() else { return nil }
                    card.kind = kind
                }
                let isOfType = if case .typeB = card.kind { isTypeB } else { !isTypeB }
                return isOfType ? card : nil
            }.prefix(count)
            guard let card = found.first else { return [0] }
            var bytes = [UInt8(found.count)]
            for (index, card) in found.enumerated() {
                bytes.append(UInt8(index + 1))
                switch card.kind {
                case .typeA(let select, let answer):
                    bytes += [0x00, 0x04, select, 0x04, 0x08, 1, 2, UInt8(index)]
                    if state.hasAutomatics { bytes += answer }
                case .typeB(let answer): bytes += answer + [1, 0x01]
                }
            }
            state.active = (card, isTypeB ? .attributed : state.hasAutomatics ? .session(card.session()) : .found)
            return bytes
        }
    }

    /// Status, and what comes from the card.
    private func exchange(_ block: [UInt8]) -> [UInt8] {
        let silence: [UInt8] = [0x01]
        guard let (card, activation) = locked({ $0.isCleared ? nil : $0.active }) else { return silence }
        var next = activation
        var answer = silence
        switch (activation, card.kind) {
        case (.found, .typeA(_, let answerToSelect)) where block.first == 0xE0 && card.chip?.activate(block) ?? true:
            next = .session(card.session())
            answer = [0x00] + answerToSelect
        // The chip gave it the identifier 1.
        case (.attributed, _) where block == [0xCA, 0x01]:
            next = .halted
            answer = [0x00] + block
        case (.halted, .typeB(let answerToRequest)) where block == [0x05, 0x00, 0x08]:
            next = .woken
            answer = [0x00] + answerToRequest
        case (.woken, .typeB(let answerToRequest)) where block.starts(with: [0x1D] + answerToRequest[1...4]):
            next = .session(card.session())
            answer = [0x00, 0x00]
        case (.session(var session), _) where card.chip?.isInSession ?? true:
            switch session.take(block, .zero) {
            case .block(let bytes): answer = [0x00] + bytes.wrappedValue
            case .damaged: answer = [0x02]
            case .silence: break
            }
            if session.isDeselected { card.chip?.deselect() }
            next = .session(session)
        default: break
        }
        locked { $0.active = ($0.active == nil ? nil : (card, next)) }
        return answer
    }

    // MARK: A serial line

    /// The chip's end of a line. It sleeps until it is woken.
    package func live(_ line: DeviceLine) {
        while let frame = EmulatedHostFrame.next(
            on: line, wake: { locked { $0.isAwake = true } }, isAwake: { locked { $0.isAwake } })
        {
            guard let pieces = take(frame) else { return line.unplug() }
            for piece in pieces { line.write(piece) }
        }
    }
}

/// A frame from the host, from its length on.
package enum EmulatedHostFrame {
    case acknowledgment
    case refusal
    case data([UInt8])

    /// The next frame on a serial line; nil when the host is gone. A chip that sleeps hears `55`
    /// alone, which wakes it.
    static func next(on line: DeviceLine, wake: () -> Void, isAwake: () -> Bool) -> Self? {
        var window: [UInt8] = []
        while let byte = line.byte() {
            if byte == 0x55 { wake() }
            window = window.suffix(1) + [byte]
            guard window == [0x00, 0xFF], isAwake() else { continue }
            window = []
            if let frame = Self({ line.bytes($0) }) { return frame }
        }
        return nil
    }

    package init?(_ read: (Int) -> [UInt8]?) {
        guard let head = read(2) else { return nil }
        var count = Int(head[0])
        switch (head[0], head[1]) {
        case (0x00, 0xFF): self = .acknowledgment
        case (0xFF, 0x00): self = .refusal
        case (0xFF, 0xFF):
            guard let long = read(3), long[0] &+ long[1] &+ long[2] == 0 else { return nil }
            count = Int(long[0]) * 256 + Int(long[1])
            fallthrough
        default:
            guard count > 255 || head[0] &+ head[1] == 0, let data = read(count), let check = read(1) else {
                return nil
            }
            var sum = check[0]
            for byte in data { sum &+= byte }
            guard sum == 0, data.first == 0xD4, data.count <= 265 else { return nil }
            self = .data(data)
        }
    }
}

import Foundation

/// A PN532 as a card (NXP's user manual UM0701-02, 7.3.14 to 7.3.21), knowing nothing of the
/// driver: its host's line on one side, the field of a terminal on the other. It can misbehave, by
/// number of the host's command from 0.
package final class EmulatedPN532Target: @unchecked Sendable {
    package enum Fault: Sendable, Equatable {
        case losesAcknowledgment
        case damagesAnswer
        /// It takes the command for a syntax error, once.
        case doesNotUnderstand
        /// In single bytes.
        case dribbles
        case isSilent
        case unplugs
        /// The answer's data are these, and the command is not executed.
        case answers([UInt8])
    }

    private enum Phase {
        case idle
        /// TgInitAsTarget is in progress.
        case armed
        case active
        /// The terminal has released the card; the status that says so.
        case over(UInt8)
    }

    private struct State {
        var phase = Phase.idle
        /// The code of the host's command in progress.
        var pending: UInt8?
        /// A sleeping chip hears nothing on its line until it is woken.
        var isAwake = false
        /// SetParameters; the default has bits 3, 5 and 6 (7.2.9).
        var parameters: UInt8 = 0x34
        var registers: [[UInt8]: UInt8] = [:]
        /// The parameters of TgInitAsTarget.
        var identity: [UInt8] = []
        /// Parts of the terminal's command that the host has not fetched.
        var inbox: [[UInt8]] = []
        /// The host has fetched a command, and not answered it.
        var isOwed = false
        var answer: [UInt8]?
        /// Counts activations.
        var session = 0
        var exchanges = 0
        var impatience: Int?
        var faults: [Int: Fault] = [:]
        var commands: [[UInt8]] = []
        var misunderstood = false
        var aborts = 0
        var lastAnswer: [UInt8] = []
        var line: DeviceLine?
    }

    private static let acknowledgment: [UInt8] = [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00]
    private static let syntaxError: [UInt8] = [0x00, 0x00, 0xFF, 0x01, 0xFF, 0x7F, 0x81, 0x00]

    private let condition = NSCondition()
    private var state = State()
    private let code: UInt8
    /// The status after the field is gone.
    private let fieldLoss: UInt8

    package init(code: UInt8 = 0x32, fieldLoss: UInt8 = 0x29) {
        self.code = code
        self.fieldLoss = fieldLoss
    }

    /// With a broadcast, because each change may be what someone waits for.
    private func locked<Value>(_ body: (inout State) -> Value) -> Value {
        condition.withLock {
            defer { condition.broadcast() }
            return body(&state)
        }
    }

    // MARK: What the test does

    package var commands: [[UInt8]] { locked { $0.commands } }
    package var aborts: Int { locked { $0.aborts } }
    package var isArmed: Bool {
        locked { state in
            if case .armed = state.phase { return true }
            return false
        }
    }

    package func fault(_ fault: Fault?, at number: Int) { locked { $0.faults[number] = fault } }

    /// The terminal does not wait for the answer to its command of this number in all sessions,
    /// from 0.
    package func loseTerminal(atCommand number: Int?) { locked { $0.impatience = number } }

    /// The code of the host's command in progress.
    package var pending: UInt8? { locked { $0.pending } }

    /// Unplugged: the line ends.
    package func unplug() { locked { $0.line }?.unplug() }

    // MARK: The field

    /// Nil for a chip that does not answer REQA.
    func select() -> EmulatedContactlessCard.Kind? {
        locked { state in
            guard case .armed = state.phase, state.pending == 0x8C else { return nil }
            // Measured: T0, TA, TB and TC of the chip, then the historical bytes of the host.
            let historical = state.identity[36...].dropFirst()
            return .typeA(
                select: state.identity[6],
                answerToSelect: [UInt8(5 + historical.count), 0x75, 0x33, 0x92, 0x03] + historical)
        }
    }

    /// RATS: the command of the host is answered. False if the chip does not answer RATS itself.
    package func activate(_ request: [UInt8] = [0xE0, 0x80]) -> Bool {
        locked { state in
            guard case .armed = state.phase, state.pending == 0x8C else { return false }
            let isCard = state.parameters & 0x20 != 0 && state.identity[0] & 0x04 != 0
            (state.phase, state.session, state.inbox, state.isOwed) = (.active, state.session + 1, [], false)
            state.isAwake = true
            complete(&state, [isCard ? 0x08 : 0x00] + request)
            return isCard
        }
    }

    /// Another terminal's activation, as a peer.
    package func activateAsPeer() {
        locked { state in
            state.phase = .over(0x29)
            state.isAwake = true
            complete(&state, [0x04, 0xD4, 0x00])
        }
    }

    var isInSession: Bool {
        locked { state in
            if case .active = state.phase { return true }
            return false
        }
    }

    /// A command of the terminal to the host, and its answer. Nil if there is none.
    package func exchange(_ command: [UInt8]) -> [UInt8]? {
        condition.withLock {
            guard case .active = state.phase else { return nil }
            let session = state.session
            // A frame to the host holds 262 bytes of it.
            state.inbox = stride(from: 0, to: command.count, by: 262).map {
                Array(command[$0..<min($0 + 262, command.count)])
            }
            if command.isEmpty { state.inbox = [[]] }
            state.answer = nil
            if state.pending == 0x86 { complete(&state, hand(&state)) }
            defer {
                state.exchanges += 1
                condition.broadcast()
            }
            condition.broadcast()
            if state.exchanges == state.impatience {
                // The host computes while the terminal gives up.
                while !state.isOwed, case .active = state.phase { condition.wait() }
                state.phase = .over(0x29)
                return nil
            }
            while true {
                guard case .active = state.phase, state.session == session else { return nil }
                if let answer = state.answer { return answer }
                condition.wait()
            }
        }
    }

    package func deselect() { end(status: 0x29) }
    package func loseField() { end(status: fieldLoss) }

    /// The chip gives up the terminal with a status: for damaged frames, for example.
    package func end(status: UInt8) {
        locked { state in
            guard case .active = state.phase else { return }
            state.phase = .over(status)
            if state.pending == 0x86 { complete(&state, [status]) }
        }
    }

    // MARK: The host

    /// The chip's end of a serial line.
    package func live(_ line: DeviceLine) {
        locked { state in
            // Power comes with the line.
            (state.phase, state.pending, state.isAwake, state.line) = (.idle, nil, false, line)
        }
        while let frame = EmulatedHostFrame.next(
            on: line, wake: { locked { $0.isAwake = true } }, isAwake: { locked { $0.isAwake } })
        {
            guard locked({ take(frame, &$0) }) else { return line.unplug() }
        }
        // The host is gone, and with it the power.
        locked { state in
            if state.line === line { (state.phase, state.pending, state.line) = (.idle, nil, nil) }
        }
    }

    /// False for a chip that is unplugged.
    private func take(_ frame: EmulatedHostFrame, _ state: inout State) -> Bool {
        switch frame {
        case .acknowledgment:
            state.aborts += 1
            if state.pending == 0x8C { state.phase = .idle }
            state.pending = nil
        case .refusal: state.line?.write(state.lastAnswer)
        case .data(let data):
            let (number, command) = (state.commands.count, Array(data.dropFirst()))
            let fault = state.faults[number]
            if fault == .doesNotUnderstand, !state.misunderstood {
                state.misunderstood = true
                for piece in [Self.acknowledgment, Self.syntaxError] { state.line?.write(piece) }
                return true
            }
            state.commands.append(command)
            switch fault {
            case .unplugs: return false
            case .isSilent: return true
            case .losesAcknowledgment: break
            case .dribbles: for byte in Self.acknowledgment { state.line?.write([byte]) }
            default: state.line?.write(Self.acknowledgment)
            }
            // A command in progress is given up for another one (6.2.2.2).
            if state.pending == 0x8C { state.phase = .idle }
            state.pending = command[0]
            if case .answers(let bytes) = fault {
                complete(&state, bytes)
            } else {
                execute(command, &state)
            }
        }
        return true
    }

    private func execute(_ command: [UInt8], _ state: inout State) {
        switch command[0] {
        case 0x02: complete(&state, [code, 0x01, 0x06, 0x07])
        case 0x06 where command.count == 3: complete(&state, [state.registers[Array(command[1...2])] ?? 0])
        case 0x08 where command.count == 4:
            state.registers[Array(command[1...2])] = command[3]
            complete(&state, [])
        case 0x12 where command.count == 2:
            state.parameters = command[1]
            complete(&state, [])
        case 0x14, 0x32: complete(&state, [])
        case 0x52:
            state.phase = .idle
            complete(&state, [0x00])
        case 0x8C where Self.isComplete(command):
            (state.identity, state.phase, state.isAwake) = (Array(command.dropFirst()), .armed, false)
        case 0x86:
            switch state.phase {
            case .active: if !state.inbox.isEmpty { complete(&state, hand(&state)) }
            case .over(let status): complete(&state, [status])
            case .idle, .armed: complete(&state, [0x27])
            }
        case 0x8E where command.count <= 263:
            switch state.phase {
            case .active where state.isOwed:
                (state.answer, state.isOwed) = (Array(command.dropFirst()), false)
                complete(&state, [0x00])
            case .active: complete(&state, [0x25])
            case .over(let status): complete(&state, [status])
            case .idle, .armed: complete(&state, [0x27])
            }
        default:
            state.pending = nil
            state.line?.write(Self.syntaxError)
        }
    }

    /// Mode, 6 bytes, 18 bytes, 10 bytes, general bytes and historical bytes with their lengths.
    private static func isComplete(_ command: [UInt8]) -> Bool {
        guard command.count >= 38 else { return false }
        let general = Int(command[36])
        guard command.count > 37 + general else { return false }
        return command.count == 38 + general + Int(command[37 + general]) && command[37 + general] <= 48
    }

    /// The next part of the terminal's command, after its status; bit 7 if there are more.
    private func hand(_ state: inout State) -> [UInt8] {
        let part = state.inbox.removeFirst()
        state.isOwed = state.inbox.isEmpty
        return [state.inbox.isEmpty ? 0x00 : 0x40] + part
    }

    private func complete(_ state: inout State, _ data: [UInt8]) {
        guard let code = state.pending else { return }
        state.pending = nil
        let frame = EmulatedPN53x.frame([0xD5, code &+ 1] + data)
        state.lastAnswer = frame
        var sent = frame
        switch state.faults[state.commands.count - 1] {
        case .damagesAnswer: sent[sent.count - 2] ^= 0x01
        case .dribbles:
            for byte in frame { state.line?.write([byte]) }
            return
        default: break
        }
        state.line?.write(sent)
    }
}

import CardModels
package import SmartCard
package import Synchronization

/// A GemPC Twin from its side of the line, with a framing of its own and an APDU level. It
/// misbehaves on command.
package final class EmulatedGemPCTwin: Sendable {
    package enum Misbehavior: Sendable, Equatable {
        case refuses(Int)
        case asksForTime
        case asksForEver
        case stale
        case dribbles
        case damages
        case silent
        case mute
        case badReset
        case hasNoAPDULevel
        case removesCard
        case unplugs(Int)
        /// The first exchange is answered when the second has come.
        case answersLate
    }

    package struct State {
        var refused = 0
        var answered = 0
        package var isAsked = false
        var owed: [UInt8] = []
    }

    package let state = Mutex(State())
    package let port: EmulatedPort
    private let misbehavior: Misbehavior?
    private let card: (any CardChannel)?

    package var isSilent: Bool { misbehavior == .silent }

    package init(_ misbehavior: Misbehavior?, card: (any CardChannel)?) {
        self.misbehavior = misbehavior
        self.card = card
        let device = Mutex<EmulatedGemPCTwin?>(nil)
        port = EmulatedPort { line in device.withLock { $0 }?.live(line) }
        device.withLock { $0 = self }
    }

    /// Its end of a line, until the other is gone.
    package func live(_ line: DeviceLine) {
        while let head = line.bytes(12) {
            let length = Int(head[3]) | Int(head[4]) << 8
            guard let rest = line.bytes(length + 1) else { return }
            precondition((head + rest).reduce(0, ^) == 0, "the driver's check is wrong")
            if misbehavior == .silent { continue }
            if case .refuses(let times) = misbehavior {
                let isRefused = state.withLock { state in
                    state.refused += 1
                    return state.refused <= times
                }
                if isRefused {
                    line.write([0x03, 0x15, 0x16])
                    continue
                }
            }
            send(head + rest, line)
            handle(head[2], sequence: head[8], data: Array(rest.dropLast()), line: line)
        }
    }

    private func handle(_ type: UInt8, sequence: UInt8, data: [UInt8], line: DeviceLine) {
        let number = state.withLock { state in
            state.answered += 1
            return state.answered
        }
        if misbehavior == .unplugs(number) { return line.unplug() }
        if misbehavior == .stale {
            answer(0x80, sequence: sequence &- 1, specific: [0, 0, 0], data: [0x6F, 0x00], line: line)
        }
        switch type {
        case 0x6B:
            answer(
                0x83, sequence: sequence, specific: misbehavior == .hasNoAPDULevel ? [0x40, 0, 0] : [0, 0, 0], data: [],
                line: line)
        case 0x65:
            answer(0x81, sequence: sequence, specific: [card == nil ? 2 : 1, 0, 0], data: [], line: line)
            state.withLock { $0.isAsked = true }
        case 0x62:
            if misbehavior == .mute {
                return answer(0x80, sequence: sequence, specific: [0x41, 0xFE, 0], data: [], line: line)
            }
            answer(
                0x80, sequence: sequence, specific: [0, 0, 0], data: misbehavior == .badReset ? [0x3B] : [0x3B, 0x00],
                line: line)
        case 0x6F:
            if misbehavior == .answersLate {
                let late = state.withLock { state in
                    state.isAsked = true
                    defer { if state.owed.isEmpty { state.owed = [sequence] + data } }
                    return state.owed
                }
                guard let number = late.first else { return }
                answer(0x80, sequence: number, specific: [0, 0, 0], data: late.dropFirst() + [0x90, 0x00], line: line)
            }
            if misbehavior == .removesCard { return line.write([0x50, 0x02]) }
            guard let card, let command = CommandAPDU(data),
                let response = blocking({ try? await card.transmit(command) })
            else {
                return
            }
            // What the card was sent, for the echoing one.
            let bytes = card is ConsentingCard ? data + [0x90, 0x00] : (response?.bytes ?? [])
            answer(0x80, sequence: sequence, specific: [0, 0, 0], data: bytes, line: line)
        default: answer(0x81, sequence: sequence, specific: [1, 0, 0], data: [], line: line)
        }
    }

    private func answer(_ type: UInt8, sequence: UInt8, specific: [UInt8], data: [UInt8], line: DeviceLine) {
        if misbehavior == .asksForTime || misbehavior == .asksForEver {
            for _ in 0..<(misbehavior == .asksForTime ? 3 : 200) {
                line.write([0x90])
                send(Self.frame([type, 0, 0, 0, 0, 0, sequence, 0x80, 1, 0]), line)
            }
        }
        let header = [type, UInt8(data.count & 0xFF), UInt8(data.count >> 8), 0, 0, 0, sequence] + specific
        var frame = Self.frame(header + data)
        if misbehavior == .damages { frame[frame.count - 1] ^= 0x40 }
        send(frame, line)
    }

    private func send(_ frame: [UInt8], _ line: DeviceLine) {
        if misbehavior == .dribbles { for byte in frame { line.write([byte]) } } else { line.write(frame) }
    }

    private static func frame(_ message: [UInt8]) -> [UInt8] {
        var check: UInt8 = 0x05
        for byte in message { check ^= byte }
        return [0x03, 0x06] + message + [check]
    }
}

import Bytes
import CardCapture
package import CardReaders
import DeviceIO
import Foundation
package import SmartCard
private import Synchronization

/// A PIN pad that answers as the ABECS specification says, from its side of the line, and
/// misbehaves on command. It has a codec of its own, written bit by bit, so that driver and
/// emulator do not share their mistakes.
package final class EmulatedPINPad: Sendable {
    package enum Misbehavior: Sendable, Equatable {
        /// Refuses the first so many packets.
        case refuses(Int)
        /// The first so many answers fail their check.
        case damages(Int)
        /// The first so many answers lose their end.
        case cuts(Int)
        /// Says nothing to commands at all.
        case silent
        /// Takes commands and never answers.
        case neverAnswers
        /// An answer to an earlier command comes before each answer.
        case stale
        /// What it sends comes byte by byte, with noise between the packets.
        case dribbles
        /// Its answers are not answers.
        case babbles
        /// Goes away instead of sending the packet of that number.
        case unplugs(Int)
        /// Does not answer the first so many cancellations.
        case deaf(Int)
        /// Sends the answer all the same when a command is cancelled.
        case lateAnswer
    }

    private struct State {
        var commands: [String] = []
        var sent = 0
        var refusals = 0
        var damaged = 0
        var ignored = 0
        var last: [UInt8] = []
        var waiting: String?
    }

    private let state = Mutex(State())
    private let misbehavior: Misbehavior?
    private let card: (any CardChannel)?
    /// Answers to commands, without the three letters.
    private let answers: [String: [UInt8]]
    package let port: EmulatedPort

    package init(_ misbehavior: Misbehavior? = nil, card: (any CardChannel)? = nil, answers: [String: [UInt8]] = [:]) {
        self.misbehavior = misbehavior
        self.card = card
        self.answers = answers
        let pad = Mutex<EmulatedPINPad?>(nil)
        port = EmulatedPort { line in pad.withLock { $0 }?.live(line) }
        pad.withLock { $0 = self }
    }

    package var commands: [String] { state.withLock { $0.commands } }
    /// Whether a command waits for somebody to do something.
    package var isWaiting: Bool { state.withLock { $0.waiting } != nil }

    /// Patient, so that a slow machine changes no result, but with a device that says nothing.
    private var timing: ABECSTiming {
        let isSilent = [.silent, .neverAnswers, .deaf(99)].contains(misbehavior)
        var timing = ABECSTiming()
        (timing.byte, timing.silence) = (isSilent ? .milliseconds(20) : .seconds(1), .milliseconds(5))
        (timing.answer, timing.card) = (isSilent ? .milliseconds(40) : .seconds(20), .seconds(40))
        return timing
    }

    package func reader() throws -> ABECSReader {
        try ABECSReader(name: "pad", timing: timing) { [port] cancel throws(DeviceError) in try port.open(cancel) }
    }

    /// What it does with a connection, from its beginning to its end.
    package func live(_ line: DeviceLine) {
        var packet: [UInt8]?
        while let byte = line.byte() {
            if var collected = packet {
                collected.append(byte)
                packet = collected
                // An end byte that is not escaped, and two bytes behind it.
                if collected.count >= 3, collected[collected.count - 3] == 0x17 {
                    packet = nil
                    handle(collected, line)
                }
            } else {
                switch byte {
                case 0x16: packet = []
                case 0x18: cancelled(line)
                case 0x15: send(state.withLock { $0.last }, line, isRepeated: true)
                default: break
                }
            }
        }
    }

    private func cancelled(_ line: DeviceLine) {
        if case .deaf(let times) = misbehavior {
            let isIgnored = state.withLock { state in
                defer { state.ignored += 1 }
                return state.ignored < times
            }
            if isIgnored { return }
        }
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
        if misbehavior == .lateAnswer, let waiting { line.write(Self.frame(Array("\(waiting)012".utf8))) }
        line.write([0x04])
    }

    private func handle(_ bytes: [UInt8], _ line: DeviceLine) {
        var data: [UInt8] = []
        var isEscaped = false
        for byte in bytes.dropLast(3) {
            if isEscaped { data.append(byte - 0x20) } else if byte != 0x13 { data.append(byte) }
            isEscaped = !isEscaped && byte == 0x13
        }
        if misbehavior == .silent { return }
        let isGood = Self.crc(data + [0x17]) == UInt16(bytes[bytes.count - 2]) << 8 | UInt16(bytes[bytes.count - 1])
        var isRefused = !isGood
        if case .refuses(let times) = misbehavior {
            isRefused = state.withLock { state in
                defer { state.refusals += 1 }
                return isRefused || state.refusals < times
            }
        }
        if isRefused { return line.write([0x15]) }
        line.write([0x06])
        let text = String(data.map { Character(Unicode.Scalar($0)) })
        state.withLock { $0.commands.append(text) }
        if misbehavior == .neverAnswers && !text.hasPrefix("OPN") { return }
        guard let answer = answer(text, data, line) else {
            return state.withLock { $0.waiting = String(text.prefix(3)) }
        }
        if misbehavior == .stale { line.write(Self.frame(Array("XYZ000".utf8))) }
        send(Self.frame(misbehavior == .babbles && !text.hasPrefix("OPN") ? Array("?!".utf8) : answer), line)
    }

    /// Nil while the command waits for somebody.
    private func answer(_ text: String, _ data: [UInt8], _ line: DeviceLine) -> [UInt8]? {
        let id = String(text.prefix(3))
        if id == "CHP", let card { return chip(text, card) }
        if id == "GPN" { line.write(Self.frame(Array("NTM000032SENHA:          4 A 12 DIGITOS  ".utf8))) }
        // To CEX also by the six digits of what is watched for.
        if let answer = answers[id + text.suffix(6)] ?? answers[id] {
            return answer.isEmpty ? nil : Array(id.utf8) + answer
        }
        switch id {
        case "OPN", "DEX", "CLO": return Array("\(id)000".utf8)
        default: return Array("ERR010".utf8)
        }
    }

    private func chip(_ text: String, _ card: any CardChannel) -> [UInt8] {
        let block = text.dropFirst(6)
        switch block.prefix(2) {
        case "00": return Array("CHP000003000".utf8)
        // The answer to reset of the specification's example.
        case "01": return Array("CHP0000270123B29008072A4456400FF0010".utf8)
        default:
            guard let bytes = try? [UInt8](hex: block.dropFirst(5)), let command = CommandAPDU(bytes),
                let response = blocking({ try? await card.transmit(command) })
            else { return Array("CHP061".utf8) }
            guard let response else { return Array("CHP043".utf8) }
            let hex = response.bytes.hex
            return Array("CHP000\(Self.digits(3 + hex.count))\(Self.digits(hex.count / 2))\(hex)".utf8)
        }
    }

    private func send(_ frame: [UInt8], _ line: DeviceLine, isRepeated: Bool = false) {
        let (number, damaged) = state.withLock { state in
            if !isRepeated { state.sent += 1 }
            defer { state.damaged += 1 }
            state.last = frame
            return (state.sent, state.damaged)
        }
        switch misbehavior {
        case .unplugs(number): line.unplug()
        case .damages(let times) where damaged < times: line.write(frame.dropLast() + [frame[frame.count - 1] ^ 0x01])
        case .cuts(let times) where damaged < times: line.write(Array(frame.dropLast(3)))
        case .dribbles:
            for byte in [0xFF, 0x00] + frame { line.write([byte]) }
        default: line.write(frame)
        }
    }

    private static func digits(_ number: Int) -> String {
        String(repeating: "0", count: 3 - String(number).count) + String(number)
    }

    package static func frame(_ data: [UInt8]) -> [UInt8] {
        let check = crc(data + [0x17])
        return [0x16] + data.flatMap { [0x13, 0x16, 0x17].contains($0) ? [0x13, $0 + 0x20] : [$0] } + [
            0x17, UInt8(check >> 8), UInt8(check & 0xFF),
        ]
    }

    /// Division by x^16 + x^12 + x^5 + 1, bit by bit.
    package static func crc(_ bytes: [UInt8]) -> UInt16 {
        var register: UInt32 = 0
        for bit in bytes.flatMap({ byte in (0..<8).map { byte >> (7 - $0) & 1 } }) + [UInt8](repeating: 0, count: 16) {
            register = register << 1 | UInt32(bit)
            if register & 0x10000 != 0 { register ^= 0x11021 }
        }
        return UInt16(register)
    }
}

import Bytes
import CardCapture
package import CardReaders
import DeviceIO
package import SmartCard
import Synchronization

/// A reader with the NEO protocol, from its side of the line (80139403-002, "Protocol 2"), and
/// misbehaves on command. Its checksum is computed bit by bit.
///
/// In the pass-through mode it takes nothing but the commands of the mode. Those have the order of
/// the checksum's bytes that the guide's pages 47 (start and end), 279 (answer to reset) and 300
/// (exchange) have; the other order is refused.
package final class EmulatedNEO: Sendable {
    package enum Misbehavior: Sendable, Equatable {
        /// Answers the settings from that number on with this status.
        case refuses(from: Int, status: UInt8)
        /// Goes away instead of answering the setting of that number.
        case unplugs(Int)
    }

    /// What it says to a command to wait for a card.
    package enum Activation: Sendable {
        /// Events and an answer, with status and data in hexadecimal; only an event comes before
        /// more.
        case answers([(status: UInt8, data: String)])
        case silence
        case unplugs
    }

    /// The contacts, with a chip that comes after so many looks.
    package struct Contacts: Sendable {
        package enum Misbehavior: Sendable, Equatable {
            /// The chip leaves instead of answering the command of that number.
            case leaves(Int)
            /// The chip does not answer the command of that number, and stays.
            case keepsSilent(Int)
            /// The reader goes away instead of answering the command of the mode of that number.
            case unplugs(Int)
            /// The reader does not answer the command of that number to the chip.
            case hangs(Int)
            /// The answer of that number has no status word.
            case cuts(Int)
        }

        package var card: any CardChannel
        package var looks = 0
        package var misbehavior: Misbehavior?
        /// The order for the end of power, which the public part of the guide does not have.
        package var endsPowerHighFirst = false
        /// An earlier program left the reader in the mode.
        package var wasLeft = false

        package init(
            _ card: any CardChannel, looks: Int = 0, _ misbehavior: Misbehavior? = nil,
            endsPowerHighFirst: Bool = false,
            wasLeft: Bool = false
        ) {
            self.card = card
            self.looks = looks
            self.misbehavior = misbehavior
            self.endsPowerHighFirst = endsPowerHighFirst
            self.wasLeft = wasLeft
        }
    }

    private struct Mode {
        var isPassingThrough = false
        var isPowered = false
        var isGone = false
        var looks = 0
        var commands = 0
        var exchanges = 0
    }

    /// The basic answer to reset of a card with T=0 (EMV Contact Interface Specification).
    private static let answerToReset: [UInt8] = [0x3B, 0x60, 0x00, 0x00]

    private let misbehavior: Misbehavior?
    private let contacts: Contacts?
    private let mode = Mutex(Mode())
    private let state = Mutex<[[UInt8]]>([])
    private let activations: Mutex<ArraySlice<Activation>>
    private let sent = Mutex<[[UInt8]]>([])
    package let port: EmulatedPort

    /// - Parameter contacts: Nil for a model without them, which does not know their commands.
    package init(_ misbehavior: Misbehavior? = nil, activations: [Activation] = [], contacts: Contacts? = nil) {
        self.misbehavior = misbehavior
        self.contacts = contacts
        self.activations = Mutex(activations[...])
        let reader = Mutex<EmulatedNEO?>(nil)
        port = EmulatedPort { line in reader.withLock { $0 }?.live(line) }
        reader.withLock { $0 = self }
    }

    /// Command, subcommand and data of each command that came.
    package var commands: [[UInt8]] { sent.withLock { $0 } }

    /// Command, subcommand and data of each setting that came.
    package var settings: [[UInt8]] { state.withLock { $0 } }

    package func reader() throws -> NEOMagstripeReader {
        try NEOMagstripeReader(name: "NEO", capabilities: .magneticStripe) { [port] cancel throws(DeviceError) in
            NEODevice(try port.open(cancel))
        }
    }

    /// What it does with a connection, from its beginning to its end.
    package func live(_ line: DeviceLine) {
        mode.withLock { mode in (mode.isPassingThrough, mode.isPowered) = (contacts?.wasLeft ?? false, false) }
        while let head = line.bytes(14), let rest = line.bytes(Int(head[12]) << 8 + Int(head[13]) + 2) {
            precondition(head.starts(with: Array("ViVOtech2".utf8) + [0]), "not a frame")
            let data = Array(rest.dropLast(2))
            let check = Self.check(head + data)
            let command = Array(head[10..<12]) + data
            sent.withLock { $0.append(command) }
            let lowFirst = [UInt8(check & 0xFF), UInt8(check >> 8)]
            let isInMode = command[0] == 0x2C
            precondition(
                rest.suffix(2) == lowFirst || isInMode && rest.suffix(2) == lowFirst.reversed(),
                "the driver's check is wrong")
            if isInMode, contacts != nil {
                passThrough(
                    command, lowFirst: rest.suffix(2) == lowFirst, highFirst: rest.suffix(2) == lowFirst.reversed(),
                    line)
            } else if mode.withLock({ $0.isPassingThrough }), command[0] != 0x05 {
                say(status: 0x0B, to: command[0], line)
            } else {
                answer(command, line)
            }
        }
    }

    /// - Parameters:
    ///   - lowFirst: Whether the checksum is right with the low byte first.
    ///   - highFirst: The same with the high byte first; both are true for two equal bytes.
    private func passThrough(_ command: [UInt8], lowFirst: Bool, highFirst: Bool, _ line: DeviceLine) {
        guard let contacts else { return }
        let isHighFirst = command[1] == 0x01 || command[1] == 0x18 && contacts.endsPowerHighFirst
        guard isHighFirst ? highFirst : lowFirst else { return say(status: 0x04, to: 0x2C, line) }
        let number = mode.withLock { mode in
            mode.commands += 1
            return mode.commands
        }
        if contacts.misbehavior == .unplugs(number) { return line.unplug() }
        guard command[1] == 0x01 || mode.withLock({ $0.isPassingThrough }) else {
            return say(status: 0x0B, to: 0x2C, line)
        }
        switch (command[1], Array(command.dropFirst(2).prefix(1))) {
        case (0x01, let data):
            mode.withLock { mode in (mode.isPassingThrough, mode.isPowered) = (data == [0x01], false) }
            say(to: 0x2C, line)
        case (0x12, [0x20]):
            let isThere = mode.withLock { mode in
                mode.looks += 1
                mode.isPowered = mode.looks > contacts.looks && !mode.isGone
                return mode.isPowered
            }
            if isThere { say(Self.answerToReset, to: 0x2C, line) } else { say(status: 0x0A, to: 0x2C, line) }
        case (0x13, [0x20]): exchange(Array(command.dropFirst(3)), contacts, line)
        case (0x18, []):
            mode.withLock { $0.isPowered = false }
            say(to: 0x2C, line)
        default: say(status: 0x05, to: 0x2C, line)
        }
    }

    private func exchange(_ bytes: [UInt8], _ contacts: Contacts, _ line: DeviceLine) {
        let (number, isPowered) = mode.withLock { mode in
            mode.exchanges += 1
            return (mode.exchanges, mode.isPowered)
        }
        switch contacts.misbehavior {
        case .hangs(number): return
        case .cuts(number): return say([0x90], to: 0x2C, line)
        case .leaves(number):
            mode.withLock { $0.isGone = true }
            return say(status: 0x0A, to: 0x2C, line)
        case .keepsSilent(number): return say(status: 0x08, to: 0x2C, line)
        default: break
        }
        guard isPowered, let command = CommandAPDU(bytes),
            let response = blocking({ try? await contacts.card.transmit(command) }),
            let response
        else { return say(status: 0x0A, to: 0x2C, line) }
        say(response.bytes, to: 0x2C, line)
    }

    private func answer(_ command: [UInt8], _ line: DeviceLine) {
        switch (command[0], command[1]) {
        case (0x18, 0x01), (0x05, 0x01): say(to: command[0], line)
        case (0x29, 0x00): say(Array("NEO v1.00".utf8), to: 0x29, line)
        case (0x12, 0x01): say(Array("123T456789".utf8) + [0], to: 0x12, line)
        case (0x02, 0x40): activate(line)
        case (0x04, _), (0xD0, _):
            let number = state.withLock { settings in
                settings.append(command)
                return settings.count
            }
            switch misbehavior {
            case .refuses(let first, let status) where number >= first: say(status: status, to: command[0], line)
            case .unplugs(number): line.unplug()
            default: say(to: command[0], line)
            }
        default: say(status: 0x02, to: command[0], line)
        }
    }

    private func activate(_ line: DeviceLine) {
        switch activations.withLock({ $0.popFirst() }) {
        case .answers(let answers):
            for answer in answers {
                guard let data = try? [UInt8](hex: answer.data) else {
                    preconditionFailure("not hexadecimal: \(answer.data)")
                }
                say(data, status: answer.status, to: 0x02, line)
            }
        case .unplugs: line.unplug()
        case .silence, nil: break
        }
    }

    private func say(_ data: [UInt8] = [], status: UInt8 = 0, to command: UInt8, _ line: DeviceLine) {
        let body =
            Array("ViVOtech2".utf8) + [0, command, status, UInt8(data.count >> 8), UInt8(data.count & 0xFF)] + data
        let check = Self.check(body)
        line.write(body + [UInt8(check >> 8), UInt8(check & 0xFF)])
    }

    private static func check(_ bytes: [UInt8]) -> UInt16 {
        var register: UInt32 = 0xFFFF
        for byte in bytes {
            for bit in (0..<8).reversed() {
                let feedback = (register >> 15 & 1) ^ UInt32(byte >> UInt8(bit) & 1)
                register = register << 1 & 0xFFFF
                if feedback == 1 { register ^= 0x1021 }
            }
        }
        return UInt16(register)
    }
}

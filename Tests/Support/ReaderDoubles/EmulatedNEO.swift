import Bytes
import CardCapture
package import CardReaders
import DeviceIO
import Synchronization

/// A reader with the NEO protocol, from its side of the line (80139403-002, "Protocol 2"), and misbehaves on command. Its checksum is computed bit by bit.
package final class EmulatedNEO: Sendable {
    package enum Misbehavior: Sendable, Equatable {
        /// Answers the settings from that number on with this status.
        case refuses(from: Int, status: UInt8)
        /// Goes away instead of answering the setting of that number.
        case unplugs(Int)
    }

    /// What it says to a command to wait for a card.
    package enum Activation: Sendable {
        /// Events and an answer, with status and data in hexadecimal; only an event comes before more.
        case answers([(status: UInt8, data: String)])
        case silence
        case unplugs
    }

    private let misbehavior: Misbehavior?
    private let state = Mutex<[[UInt8]]>([])
    private let activations: Mutex<ArraySlice<Activation>>
    private let sent = Mutex<[[UInt8]]>([])
    package let port: EmulatedPort

    package init(_ misbehavior: Misbehavior? = nil, activations: [Activation] = []) {
        self.misbehavior = misbehavior
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
        while let head = line.bytes(14), let rest = line.bytes(Int(head[12]) << 8 + Int(head[13]) + 2) {
            precondition(head.starts(with: Array("ViVOtech2".utf8) + [0]), "not a frame")
            let data = Array(rest.dropLast(2))
            let check = Self.check(head + data)
            precondition(rest.suffix(2) == [UInt8(check & 0xFF), UInt8(check >> 8)], "the driver's check is wrong")
            let command = Array(head[10..<12]) + data
            sent.withLock { $0.append(command) }
            answer(command, line)
        }
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
                guard let data = try? [UInt8](hex: answer.data) else { preconditionFailure("not hexadecimal: \(answer.data)") }
                say(data, status: answer.status, to: 0x02, line)
            }
        case .unplugs: line.unplug()
        case .silence, nil: break
        }
    }

    private func say(_ data: [UInt8] = [], status: UInt8 = 0, to command: UInt8, _ line: DeviceLine) {
        let body = Array("ViVOtech2".utf8) + [0, command, status, UInt8(data.count >> 8), UInt8(data.count & 0xFF)] + data
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

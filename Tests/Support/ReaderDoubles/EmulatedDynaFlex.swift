import Bytes
package import CardReaders
import DeviceIO
import Synchronization

/// A DynaFlex on a serial line, from its side (DynaFlex family programmer's manual, "Messages",
/// commands D101 and D111): it has properties, and misbehaves on command.
package final class EmulatedDynaFlex: Sendable {
    package enum Misbehavior: Sendable, Equatable {
        /// Refuses to set the property of that number in the order of the requests.
        case refuses(Int)
        /// Goes away instead of setting it.
        case unplugs(Int)
        /// Confirms another value.
        case garbles
    }

    private let misbehavior: Misbehavior?
    private let state: Mutex<(values: [[UInt8]: [UInt8]], set: [[UInt8]])>
    package let port: EmulatedPort

    /// - Parameter values: Values by their identifiers, kind first.
    package init(_ misbehavior: Misbehavior? = nil, values: [[UInt8]: [UInt8]] = [:]) {
        self.misbehavior = misbehavior
        let identity: [[UInt8]: [UInt8]] = [
            [2, 1, 2, 2, 2, 1]: Array("DynaFlex Pro".utf8) + [0],
            [2, 1, 2, 2, 2, 2]: Array("1000007183-A5-PCI".utf8) + [0, 0],
            [2, 2, 1, 1, 1, 1]: [0xB6, 0x03, 0x22, 0x60],
        ]
        state = Mutex((identity.merging(values) { $1 }, []))
        let device = Mutex<EmulatedDynaFlex?>(nil)
        port = EmulatedPort { line in device.withLock { $0 }?.live(line) }
        device.withLock { $0 = self }
    }

    package var values: [[UInt8]: [UInt8]] { state.withLock { $0.values } }
    /// The identifiers that were set, in order.
    package var settings: [[UInt8]] { state.withLock { $0.set } }

    package func reader() throws -> MMSReader {
        try MMSReader(name: "DynaFlex") { [port] cancel throws(DeviceError) in MMSLink(try port.open(cancel)) }
    }

    /// What it does with a connection, from its beginning to its end.
    package func live(_ line: DeviceLine) {
        var frame: [UInt8] = []
        while let byte = line.byte() {
            switch byte {
            case 0xC0:
                if frame.count > 5, !answer(Array(frame[5...]), line) { return }
                frame = []
            case 0xDC where frame.last == 0xDB: frame[frame.count - 1] = 0xC0
            case 0xDD where frame.last == 0xDB: break
            default: frame.append(byte)
            }
        }
    }

    /// The requests of the driver have lengths of one byte, but for long values.
    ///
    /// - Returns: False if the device has gone away.
    private func answer(_ message: [UInt8], _ line: DeviceLine) -> Bool {
        precondition(
            message.starts(with: [0xAA, 0x00, 0x81, 0x04, 0x01]) && message[8] == 0x84, "not a request: \(message.hex)")
        let (reference, command) = (message[5], Array(message[6..<8]))
        let payload = Array(message[(message[9] == 0x82 ? 12 : message[9] == 0x81 ? 11 : 10)...].dropFirst(2))
        guard command[0] == 0xD1 else {
            say(reference, command, status: [0, 0, 0, 0], to: line)
            return true
        }
        // 85 01 kind, 87 prefix, 89 tag, length and value of the last number.
        let prefix = Array(payload[5..<5 + Int(payload[4])])
        let rest = payload[(5 + prefix.count)...]
        let object = Array(
            rest.dropFirst(rest[rest.startIndex + 1] == 0x82 ? 4 : rest[rest.startIndex + 1] == 0x81 ? 3 : 2))
        let identifier = [payload[2]] + prefix + [object[0] & 0x3F]
        let head = Array(payload[..<(5 + prefix.count)])
        func confirm(_ value: [UInt8]) {
            say(
                reference, command, status: [0, 0, 0, 0],
                payload: head + Self.object(0x89, Self.object(object[0], value)), to: line)
        }
        if command[1] == 0x01 {
            guard let value = values[identifier] else {
                say(reference, command, status: [0x80, 0x02, 0x01, 0x01], to: line)
                return true
            }
            confirm(value)
            return true
        }
        let value = Array(object.dropFirst(object[1] == 0x82 ? 4 : 2))
        let number = state.withLock { state in
            state.set.append(identifier)
            return state.set.count
        }
        switch misbehavior {
        case .refuses(number): say(reference, command, status: [0x80, 0x02, 0x01, 0x02], to: line)
        case .unplugs(number):
            line.unplug()
            return false
        case .garbles: confirm([0xFF])
        default:
            state.withLock { $0.values[identifier] = value }
            confirm(value)
        }
        return true
    }

    private func say(
        _ reference: UInt8, _ command: [UInt8], status: [UInt8], payload: [UInt8] = [], to line: DeviceLine
    ) {
        var message = [0xAA, 0x00, 0x81, 0x04, 0x82, reference] + command + [0x82, 0x04] + status
        if !payload.isEmpty { message += Self.object(0x84, command + payload) }
        let body = [0x02, 0, 0, UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message
        line.write([0xC0] + body.flatMap { $0 == 0xC0 ? [0xDB, 0xDC] : $0 == 0xDB ? [0xDB, 0xDD] : [$0] } + [0xC0])
    }

    /// Lengths as the manual's responses have them: two bytes where one would do for payloads.
    private static func object(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] {
        let isLong = value.count > 0x7F || tag == 0x84
        return [tag] + (isLong ? [0x82, UInt8(value.count >> 8), UInt8(value.count & 0xFF)] : [UInt8(value.count)])
            + value
    }
}

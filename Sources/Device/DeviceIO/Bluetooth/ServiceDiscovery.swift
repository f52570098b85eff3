internal import CDeviceIO

/// The part of the service discovery protocol that finds the RFCOMM channel of a service (Bluetooth
/// Core Specification, volume 3 part B).
///
/// It is implemented here over the kernel's sockets: BlueZ's library would impose the GPL on every
/// program that links this one, and its calls have no deadlines and cannot be cancelled.
public enum ServiceDiscovery {
    /// A service class, by its 16-bit number (Assigned Numbers, 3.3).
    public struct Service: Hashable, Sendable {
        public let number: UInt16
        public init(_ number: UInt16) { self.number = number }
        public static let serialPort = Service(0x1101)
        /// Every service over RFCOMM: a search finds records that contain an identifier anywhere
        /// (part B, 2.7.2), and this is RFCOMM's.
        static let overRFCOMM = Service(0x0003)
    }

    /// The maximum length of an answer in bytes, and the maximum number of its parts.
    static let largestAnswer = 4096
    static let maximumPieces = 32

    static func channel(
        of service: Service, at address: BluetoothAddress, by deadline: Deadline, cancel: WakeEvent?
    ) throws(DeviceError) -> UInt8 {
        let connection = try connection(to: address, by: deadline, cancel: cancel)
        return try channel(of: service, name: address.description, over: connection, by: deadline)
    }

    /// - Parameter connection: A connection to the device's service discovery that returns one
    ///   packet for each read.
    static func channel(
        of service: Service, name: String, over connection: StreamDescriptor, by deadline: Deadline
    ) throws(DeviceError) -> UInt8 {
        guard let channel = channels(in: try attributes(of: service, over: connection, by: deadline)).first else {
            throw .notOffered(name)
        }
        return channel
    }

    /// Every RFCOMM channel that the device reports.
    static func channels(at address: BluetoothAddress, by deadline: Deadline, cancel: WakeEvent?) throws(DeviceError)
        -> [UInt8]
    {
        let connection = try connection(to: address, by: deadline, cancel: cancel)
        return channels(in: try attributes(of: .overRFCOMM, over: connection, by: deadline))
    }

    private static func connection(
        to address: BluetoothAddress, by deadline: Deadline, cancel: WakeEvent?
    ) throws(DeviceError) -> StreamDescriptor {
        let descriptor = unsafe cdio_l2cap_connect(address.bytes, 1, cancel?.descriptor ?? -1, deadline.nanoseconds)
        guard descriptor >= 0 else { throw .bluetooth(address.description, descriptor) }
        return StreamDescriptor(descriptor, call: "service discovery", cancel: cancel)
    }

    /// The protocol descriptor lists of the records with `service`.
    private static func attributes(
        of service: Service, over connection: StreamDescriptor, by deadline: Deadline
    ) throws(DeviceError) -> [UInt8] {
        var collected: [UInt8] = []
        var continuation: [UInt8] = []
        for piece in 0..<maximumPieces {
            let transaction = UInt16(truncatingIfNeeded: piece + 1)
            try connection.write(request(service, transaction: transaction, continuation: continuation), by: deadline)
            let answer = try connection.read(atMost: largestAnswer, by: deadline)
            guard let part = Part(answer, transaction: transaction) else {
                throw .malformed(.serviceDiscoveryAnswer, .invalid)
            }
            collected += part.attributes
            continuation = part.continuation
            guard collected.count <= largestAnswer else {
                throw .malformed(.serviceDiscoveryAnswer, .tooLong(collected.count))
            }
            if continuation.isEmpty { return collected }
        }
        throw .malformed(.serviceDiscoveryAnswer, .tooManyParts)
    }

    /// SDP_SERVICE_SEARCH_ATTR_REQ for the protocol descriptor list, attribute `0004` (part B,
    /// 4.7.1).
    static func request(_ service: Service, transaction: UInt16, continuation: [UInt8]) -> [UInt8] {
        let pattern: [UInt8] = [
            0x35, 0x03, 0x19, UInt8(truncatingIfNeeded: service.number >> 8), UInt8(service.number & 0xFF),
        ]
        let attributes: [UInt8] = [0x35, 0x03, 0x09, 0x00, 0x04]
        // fits: at most 16 bytes, as PDUs are parsed
        let parameters = pattern + [0xFF, 0xFF] + attributes + [UInt8(continuation.count)] + continuation
        return [
            // fits: the continuation that the device chose has at most 16 bytes
            0x06, UInt8(truncatingIfNeeded: transaction >> 8), UInt8(transaction & 0xFF), 0x00, UInt8(parameters.count),
        ] + parameters
    }

    /// One part of an answer.
    struct Part: Equatable {
        let attributes: [UInt8]
        let continuation: [UInt8]

        /// Nil if it is not an SDP_SERVICE_SEARCH_ATTR_RSP to the transaction (part B, 4.7.2).
        init?(_ bytes: [UInt8], transaction: UInt16) {
            guard bytes.count >= 8, bytes[0] == 0x07, bytes[1] == UInt8(truncatingIfNeeded: transaction >> 8),
                bytes[2] == UInt8(transaction & 0xFF)
            else {
                return nil
            }
            let length = Int(bytes[3]) << 8 | Int(bytes[4])
            let count = Int(bytes[5]) << 8 | Int(bytes[6])
            guard bytes.count == 5 + length, bytes.count > 7 + count else { return nil }
            attributes = Array(bytes[7..<(7 + count)])
            let state = bytes[(7 + count)...]
            guard let size = state.first, size <= 16, state.count == 1 + Int(size) else { return nil }
            continuation = Array(state.dropFirst())
        }
    }

    /// The RFCOMM channels of an attribute list, in its order: the channel, a number of one byte,
    /// follows the protocol identifier `0003` (part B, 5.1.5).
    static func channels(in attributes: [UInt8]) -> [UInt8] {
        var found: [UInt8] = []
        var isBehindRFCOMM = false
        DataElement.walk(attributes[...], depth: 0) { element in
            switch element {
            case .uuid(let number): isBehindRFCOMM = number == 0x0003
            case .number(let value):
                // fits: 1 to 30
                if isBehindRFCOMM, (1...30).contains(value) { found.append(UInt8(value)) }
                isBehindRFCOMM = false
            }
        }
        return found
    }
}

/// A data element of service discovery (Bluetooth Core Specification, volume 3 part B, 3).
private enum DataElement {
    case uuid(UInt32)
    case number(UInt32)

    /// Visits every identifier and every unsigned number, in their order, through sequences and
    /// alternatives. Stops at bytes that are not elements.
    static func walk(_ bytes: ArraySlice<UInt8>, depth: Int, _ visit: (DataElement) -> Void) {
        var rest = bytes
        while depth < 8, let header = rest.popFirst() {
            let (type, index) = (header >> 3, header & 0x07)
            let size: Int
            switch index {
            case 0...4: size = type == 0 ? 0 : 1 << Int(index)
            default:
                let width = 1 << Int(index - 5)
                guard rest.count >= width else { return }
                size = rest.prefix(width).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(width)
            }
            guard rest.count >= size else { return }
            let content = rest.prefix(size)
            rest = rest.dropFirst(size)
            let value = content.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            switch type {
            case 1 where size <= 4: visit(.number(value))
            // Short forms and the Bluetooth base, whose first four bytes are the number.
            case 3: visit(.uuid(value))
            case 6, 7: walk(content, depth: depth + 1, visit)
            default: break
            }
        }
    }
}

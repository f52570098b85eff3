import DeviceIO
import Foundation
import ReaderDoubles

@testable import CardReaders

/// A USB device that answers each transfer at once with others.
final class EmulatedBulkDevice: USBTransport {
    let name = "emulated reader"
    let descriptors: USBDescriptors
    private let cancel: WakeEvent
    private let respond: ([UInt8]) throws(DeviceError) -> [[UInt8]]
    private var waiting: [[UInt8]] = []
    /// Two ends of a socket on which nothing ever comes.
    private let quiet: DescriptorStream
    private let otherEnd: Int32

    init(
        _ descriptors: USBDescriptors, cancel: WakeEvent, respond: @escaping ([UInt8]) throws(DeviceError) -> [[UInt8]]
    ) {
        self.descriptors = descriptors
        self.cancel = cancel
        self.respond = respond
        var ends: [Int32] = [0, 0]
        _ = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        quiet = DescriptorStream(ends[0], name: "quiet", cancel: cancel)
        otherEnd = ends[1]
    }

    deinit { close(otherEnd) }

    func claim(interface: UInt8) throws(DeviceError) {}
    func write(_ request: USBRequest, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {}
    func read(_ request: USBRequest, atMost count: UInt16, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        throw .stalled
    }

    func write(endpoint: UInt8, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        guard endpoint == 0x04 else { throw .stalled }
        waiting += try respond(bytes)
    }

    func read(endpoint: UInt8, atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        guard endpoint == 0x84 else { throw .stalled }
        if !waiting.isEmpty { return waiting.removeFirst() }
        _ = try quiet.read(atMost: 1, by: deadline)
        throw .timedOut
    }

    func listen(endpoint: UInt8, atMost count: Int) throws(DeviceError) {}
    func heard() throws(DeviceError) -> [UInt8]? { nil }
    func clearHalt(endpoint: UInt8) throws(DeviceError) {}
    var readiness: Int32 { -1 }
}

/// How a chip is connected.
enum EmulatedConnection: CaseIterable, Sendable {
    case serial
    case pn533
    /// Its reader takes commands by Escape.
    case acr122
    /// Its reader takes them as if for a card, and has answers fetched by GET RESPONSE.
    case olderACR122
}

extension EmulatedPN53x {
    /// The driver on this chip. Its patience is a guard against a hang, unless a test waits for its end.
    func reader(_ connection: EmulatedConnection = .serial, latency: Duration = .seconds(600)) throws -> PN53xReader {
        switch connection {
        case .serial:
            let port = EmulatedPort { [self] line in live(line) }
            return try PN53xReader(
                name: "emulated", latency: latency, line: { cancel throws(DeviceError) in try port.open(cancel) })
        case .pn533:
            return try PN53xReader(name: "emulated", isACR122: false, latency: latency) {
                [self] cancel throws(DeviceError) in
                EmulatedBulkDevice(try Self.descriptors(classCode: 0xFF), cancel: cancel) { bytes throws(DeviceError) in
                    try self.transfer(bytes)
                }
            }
        case .acr122, .olderACR122:
            return try PN53xReader(name: "emulated", isACR122: true, latency: latency) {
                [self] cancel throws(DeviceError) in
                let reader = EmulatedACR122(chip: self, isOlder: connection == .olderACR122)
                return EmulatedBulkDevice(try Self.descriptors(classCode: 0x0B), cancel: cancel) {
                    bytes throws(DeviceError) in
                    try reader.take(bytes)
                }
            }
        }
    }

    /// A frame in a transfer.
    private func transfer(_ bytes: [UInt8]) throws(DeviceError) -> [[UInt8]] {
        guard bytes.starts(with: [0x00, 0x00, 0xFF]) else { return [] }
        var rest = bytes.dropFirst(3)
        let frame = EmulatedHostFrame { count in
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        guard let frame else { return [] }
        guard let pieces = take(frame) else { throw .disconnected }
        return pieces
    }

    /// Device, configuration, interface, endpoints (USB 2.0, 9.6); for a chip card reader its class
    /// descriptor (USB CCID 1.1, 5.1): one slot, short APDUs, messages of 271 bytes.
    private static func descriptors(classCode: UInt8) throws(DeviceError) -> USBDescriptors {
        var ofClass = [54, 0x21] + [UInt8](repeating: 0, count: 52)
        ofClass.replaceSubrange(40..<46, with: [0, 0, 0x02, 0, 0x0F, 0x01])
        let parts: [[UInt8]] = [
            [18, 1, 0, 2, 0, 0, 0, 64, 0x2F, 0x07, 0x00, 0x22, 0x14, 0x02, 1, 2, 0, 1],
            [9, 2, 93, 0, 1, 1, 0, 0x80, 50],
            [9, 4, 0, 0, 2, classCode, 0, 0, 0], classCode == 0x0B ? ofClass : [], [7, 5, 0x04, 2, 64, 0, 0],
            [7, 5, 0x84, 2, 64, 0, 0],
        ]
        return try USBDescriptors(parsing: Array(parts.joined()))
    }
}

/// The reader around a PN532 (ACS, ACR122U API): CCID messages in and out.
private final class EmulatedACR122 {
    private let chip: EmulatedPN53x
    private let isOlder: Bool
    private var fetched: [UInt8] = []

    init(chip: EmulatedPN53x, isOlder: Bool) {
        self.chip = chip
        self.isOlder = isOlder
    }

    func take(_ message: [UInt8]) throws(DeviceError) -> [[UInt8]] {
        let data = Array(message.dropFirst(10))
        switch message[0] {
        case 0x62: return [answer(0x80, message, data: [0x3B, 0x00])]
        case 0x72: return [answer(0x81, message)]
        case 0x6B where isOlder: return [answer(0x83, message, status: 0x42)]
        case 0x6B: return try pseudo(data).map { [answer(0x83, message, data: $0)] } ?? []
        case 0x6F: return try pseudo(data).map { [answer(0x80, message, data: $0)] } ?? []
        default: return [answer(0x81, message, status: 0x42)]
        }
    }

    private func answer(_ type: UInt8, _ message: [UInt8], status: UInt8 = 0x02, data: [UInt8] = []) -> [UInt8] {
        [type, UInt8(data.count % 256), UInt8(data.count / 256), 0, 0, message[5], message[6], status, 0, 0] + data
    }

    /// Nil for a command that hangs.
    private func pseudo(_ command: [UInt8]) throws(DeviceError) -> [UInt8]? {
        switch Array(command.prefix(3)) {
        case [0xFF, 0x00, 0x48]: return Array("ACR122U214".utf8)
        case [0xFF, 0x00, 0x51]: return [0x90, command[3]]
        case [0xFF, 0xC0, 0x00]: return fetched
        case [0xFF, 0x00, 0x00] where command.count == 5 + Int(command[4]):
            guard let pieces = chip.take(.data(Array(command.dropFirst(5)))) else { throw .disconnected }
            // The acknowledgment stays in the reader; so do frame and check sums.
            guard pieces.count > 1, let frame = pieces.last, let start = frame.firstIndex(of: 0xD5) else {
                return pieces.count == 1 ? nil : [0x63, 0x00]
            }
            let answer = frame[start...].dropLast(2) + [0x90, 0x00]
            guard isOlder else { return Array(answer) }
            fetched = Array(answer)
            return [0x61, UInt8(clamping: answer.count)]
        default: return [0x63, 0x00]
        }
    }
}

import DeviceIO
import Foundation

@testable import CardCapture
@testable import CardReaders

/// The cable to an emulated reader, from one opening to its end.
final class EmulatedCCID: USBTransport {
    let name = "emulated reader"
    let descriptors: USBDescriptors
    private let reader: EmulatedReader
    private let cancel: WakeEvent
    /// Two ends of a socket on which nothing ever comes.
    private let quiet: DescriptorStream
    private let otherEnd: Int32

    init(_ reader: EmulatedReader, cancel: WakeEvent) throws(DeviceError) {
        self.reader = reader
        self.cancel = cancel
        var ends: [Int32] = [0, 0]
        _ = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        quiet = DescriptorStream(ends[0], name: "quiet", cancel: cancel)
        otherEnd = ends[1]
        descriptors = try USBDescriptors(parsing: Self.descriptors(reader))
        try reader.step()
        reader.opened()
    }

    deinit { close(otherEnd) }

    /// Device, configuration, interface, class descriptor, endpoints (USB 2.0, 9.6).
    private static func descriptors(_ reader: EmulatedReader) -> [UInt8] {
        let shape = reader.shape
        func half(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
        let packet = half(UInt16(shape.packet))
        let count: UInt8 = shape.notifies ? 3 : 2
        let parts: [[UInt8]] = [
            [18, 1, 0, 2, 0, 0, 0, 64], half(shape.vendor), half(shape.product), half(shape.version), [1, 2, 0, 1],
            [9, 2, 93, 0, 1, 1, 0, 0x80, 50], [9, 4, 0, 0, count, 0x0B, 0, 0, 0], reader.classDescriptor,
            [7, 5, 0x01, 2], packet, [0],
            [7, 5, 0x82, 2], packet, [0], shape.notifies ? [7, 5, 0x83, 3, 8, 0, 16] : [],
        ]
        return Array(parts.joined())
    }

    /// A transfer ends at once where it is cancelled already.
    private func checkCancellation() throws(DeviceError) {
        try cancel.wait(until: .after(.zero))
    }

    func claim(interface: UInt8) throws(DeviceError) { try reader.step() }

    func write(_ request: USBRequest, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        try reader.step()
        try reader.control(request)
    }

    func read(_ request: USBRequest, atMost count: UInt16, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        try reader.step()
        throw .stalled
    }

    func write(endpoint: UInt8, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        try reader.step()
        guard endpoint == 0x01 else { throw .stalled }
        try checkCancellation()
        try reader.take(bytes)
    }

    func read(endpoint: UInt8, atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        try reader.step()
        guard endpoint == 0x82 else { throw .stalled }
        try checkCancellation()
        let (bytes, hangs) = try reader.give(count)
        if let bytes {
            if reader.isCancelledNow() { cancel.signal() }
            return bytes
        }
        guard hangs else { throw .timedOut }
        _ = try quiet.read(atMost: 1, by: deadline)
        throw .timedOut
    }

    func listen(endpoint: UInt8, atMost count: Int) throws(DeviceError) {
        try reader.step()
        guard endpoint == 0x83 else { throw .stalled }
    }

    func heard() throws(DeviceError) -> [UInt8]? {
        try reader.step()
        return reader.heard()
    }

    func clearHalt(endpoint: UInt8) throws(DeviceError) { try reader.step() }

    var readiness: Int32 { reader.interrupt.read }
}

extension EmulatedReader {
    /// The driver on this reader.
    func driver(_ rules: CardRules = .emv, interface: ReaderEvent.CardInterface? = .contact) throws(DeviceError)
        -> CCIDReader
    {
        try CCIDReader(name: "emulated reader", rules: rules, interface: interface) { cancel throws(DeviceError) in
            try EmulatedCCID(self, cancel: cancel)
        }
    }
}

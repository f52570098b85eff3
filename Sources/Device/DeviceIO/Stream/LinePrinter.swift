private import Bytes
internal import CDeviceIO

/// A USB printer through the kernel's driver usblp, `/dev/usb/lp0` to `/dev/usb/lp15`. One program
/// at a time has it open.
///
/// A printer that is out of paper takes no more bytes; then writing times out.
public final class LinePrinter: ByteTransport {
    public let name: String
    private let stream: StreamDescriptor

    /// - Parameters:
    ///   - path: Such as `/dev/usb/lp0`, or a link to it.
    ///   - cancel: Ends waits.
    public init(path: String, cancel: WakeEvent?) throws(DeviceError) {
        name = path
        let descriptor = unsafe cdio_open(path)
        guard descriptor >= 0 else { throw DeviceHolder.named(.opening(path, descriptor, "open"), path) }
        stream = StreamDescriptor(descriptor, call: "printer", cancel: cancel)
        let locked = stream.claim(.lock)
        guard locked >= 0 else { throw DeviceHolder.named(.opening(path, locked, "flock"), path) }
    }

    /// What the printer calls itself (IEEE 1284 device id): `MFG:EPSON;MDL:TM-T20III;…`, on one
    /// line; nil if it does not say.
    public var identity: String? {
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 1024) { buffer, count in
            count = max(0, unsafe cdio_printer_identity(stream.descriptor, buffer.baseAddress, buffer.count))
        }
        return bytes.count > 2 ? String(printable: Array(bytes.dropFirst(2))) : nil
    }

    public func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        try stream.write(bytes, by: deadline)
    }
    public func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        try stream.read(atMost: count, by: deadline)
    }
    public var readiness: CInt { stream.descriptor }
}

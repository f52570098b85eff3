private import Bytes
internal import CDeviceIO
private import Glibc

/// A device that is a stream of bytes: a serial port, an RFCOMM or a TCP connection. For the thread
/// of its device only.
public protocol ByteTransport: AnyObject {
    /// The name for display: the path or address.
    var name: String { get }

    /// Writes all bytes.
    func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError)

    /// Reads at least one byte, at most `count`.
    func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8]

    /// A descriptor that is readable when bytes have arrived; -1 if the transport has no
    /// descriptor.
    var readiness: CInt { get }
}

extension ByteTransport {
    /// Reads exactly `count` bytes.
    public func read(exactly count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var part = try read(atMost: count - bytes.count, by: deadline)
            bytes.append(wiping: &part)
        }
        return bytes
    }

    /// Discards input until none has arrived for `silence`; gives up after a second if the device
    /// never stops sending.
    public func drain(silence: Duration = .milliseconds(50)) throws(DeviceError) {
        let limit = Deadline.after(.seconds(1))
        while !limit.hasPassed {
            do throws(DeviceError) {
                _ = try read(atMost: 4096, by: min(.after(silence), limit))
            } catch .timedOut {
                return
            } catch {
                throw error
            }
        }
    }
}

/// A stream over a descriptor that other code opened: a socket from another service, one end of a
/// socket pair, a pty.
public final class DescriptorStream: ByteTransport {
    public let name: String
    private let stream: StreamDescriptor

    /// - Parameter descriptor: Owned by this object from now on, and set to non-blocking.
    public init(_ descriptor: CInt, name: String, cancel: WakeEvent?) {
        self.name = name
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        stream = StreamDescriptor(descriptor, call: name, cancel: cancel)
    }

    public func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        try stream.write(bytes, by: deadline)
    }
    public func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        try stream.read(atMost: count, by: deadline)
    }
    public var readiness: CInt { stream.descriptor }
}

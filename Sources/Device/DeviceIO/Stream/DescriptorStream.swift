internal import CDeviceIO
private import Glibc

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

    public func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) { try stream.write(bytes, by: deadline) }
    public func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        try stream.read(atMost: count, by: deadline)
    }
    public var readiness: CInt { stream.descriptor }
}

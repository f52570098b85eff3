internal import CDeviceIO
private import Glibc

/// A descriptor that is read and written as a stream, and closed when its last reference is
/// released.
final class StreamDescriptor {
    let descriptor: CInt
    private let call: String
    /// Kept so that its descriptor stays valid.
    private let event: WakeEvent?
    private var cancel: CInt { event?.descriptor ?? -1 }
    private var claims: [DeviceClaim] = []

    /// - Parameters:
    ///   - descriptor: Owned by this object from now on. It must be non-blocking.
    ///   - cancel: Ends waits.
    init(_ descriptor: CInt, call: String, cancel: WakeEvent?) {
        self.descriptor = descriptor
        self.call = call
        event = cancel
    }

    deinit {
        for claim in claims.reversed() { claim.giveUp(descriptor) }
        Glibc.close(descriptor)
    }

    /// Claims the device until this object is released.
    ///
    /// - Returns: Zero, or a negative error number.
    func claim(_ claim: DeviceClaim) -> CInt {
        let status = claim.take(descriptor)
        if status >= 0 { claims.append(claim) }
        return status
    }

    func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        try check(unsafe cdio_write(descriptor, bytes, bytes.count, cancel, deadline.nanoseconds), call)
    }

    func read(atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        var failure = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: max(count, 1)) { buffer, filled in
            let result = unsafe cdio_read(descriptor, buffer.baseAddress, count, cancel, deadline.nanoseconds)
            failure = min(result, 0)
            filled = max(result, 0)
        }
        try check(failure, call)
        guard !bytes.isEmpty else { throw .disconnected }
        return bytes
    }
}

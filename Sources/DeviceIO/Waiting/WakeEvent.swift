internal import CDeviceIO
private import Glibc

/// What ends a wait from another thread: a descriptor that can be read once it was signalled.
public final class WakeEvent: Sendable {
    let descriptor: CInt

    public init() throws(DeviceError) {
        descriptor = try check(cdio_event_create(), "eventfd")
    }

    public func signal() { _ = cdio_event_signal(descriptor) }

    public func clear() { _ = cdio_event_clear(descriptor) }

    /// Waits until the deadline has passed.
    ///
    /// - Throws: ``DeviceError/cancelled`` as soon as the event is signalled.
    public func wait(until deadline: Deadline) throws(DeviceError) {
        do throws(DeviceError) {
            try check(cdio_wait_readable(nil, 0, descriptor, deadline.nanoseconds), "poll")
        } catch .timedOut {
            return
        } catch {
            throw error
        }
    }

    deinit { Glibc.close(descriptor) }
}

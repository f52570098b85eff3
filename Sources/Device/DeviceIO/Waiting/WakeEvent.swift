internal import CDeviceIO
private import Glibc

/// Ends a wait from another thread: a descriptor that becomes readable when it is signalled.
public final class WakeEvent: Sendable {
    let descriptor: CInt

    public init() throws(DeviceError) {
        descriptor = try check(cdio_event_create(), "eventfd")
    }

    public func signal() { _ = cdio_event_signal(descriptor) }

    public func clear() { _ = cdio_event_clear(descriptor) }

    /// Waits until the moment.
    ///
    /// - Throws: ``DeviceError/cancelled`` if the event is signalled before it.
    public func wait(until moment: Deadline) throws(DeviceError) {
        do throws(DeviceError) {
            try check(unsafe cdio_wait_readable([], 0, descriptor, moment.nanoseconds), "ppoll")
        } catch .timedOut {
            return
        } catch {
            throw error
        }
    }

    deinit { Glibc.close(descriptor) }
}

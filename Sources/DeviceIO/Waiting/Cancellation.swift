private import Synchronization

/// One operation that can be cancelled: before it has begun, while it waits, or between its steps, each of which begins and ends. To cancel it after its last
/// step does nothing, so a late cancellation never hits the operation after it.
public final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        /// While a step is under way.
        var event: WakeEvent?
    }

    private let state = Mutex(State())

    public init() {}

    public func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.event?.signal()
        }
    }

    /// From here on cancelling signals `event`, which every wait of the device looks at.
    public func begin(_ event: WakeEvent) throws(DeviceError) {
        event.clear()
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.event = event }
            return state.isCancelled
        }
        if isCancelled { throw .cancelled }
    }

    /// The event is clear afterwards: what follows on the device is not of this operation.
    public func end() {
        state.withLock { state in
            state.event?.clear()
            state.event = nil
        }
    }
}

private import Synchronization

/// One operation that can be cancelled: before it begins, while it waits, or between its steps.
/// Each step calls ``begin(_:)`` and ``end()``. A cancellation after the last step has no effect,
/// so it never affects the next operation.
public final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        /// Set during a step.
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

    /// From now on a cancellation signals `event`, which every wait of the device checks.
    public func begin(_ event: WakeEvent) throws(DeviceError) {
        event.clear()
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.event = event }
            return state.isCancelled
        }
        if isCancelled { throw .cancelled }
    }

    /// Clears the event: later operations of the device are not affected.
    public func end() {
        state.withLock { state in
            state.event?.clear()
            state.event = nil
        }
    }
}

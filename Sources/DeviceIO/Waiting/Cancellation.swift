private import Synchronization

/// One operation that can be cancelled, before it has begun or while it waits. To cancel it after its end does nothing, so a late cancellation
/// never hits the operation after it.
public final class Cancellation: Sendable {
    private enum State {
        case waiting
        case running(WakeEvent)
        case cancelled
        case ended
    }

    private let state = Mutex(State.waiting)

    public init() {}

    public func cancel() {
        state.withLock { state in
            if case .running(let event) = state { event.signal() }
            if case .ended = state { return }
            state = .cancelled
        }
    }

    /// From here on cancelling signals `event`, which every wait of the device looks at.
    public func begin(_ event: WakeEvent) throws(DeviceError) {
        event.clear()
        let isCancelled = state.withLock { state in
            if case .cancelled = state { return true }
            state = .running(event)
            return false
        }
        if isCancelled { throw .cancelled }
    }

    public func end() { state.withLock { $0 = .ended } }
}

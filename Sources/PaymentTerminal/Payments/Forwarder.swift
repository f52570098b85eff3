private import Synchronization

/// A task that works, sleeps until its work is due again or it is woken, and ends when nothing is left.
final class Forwarder: Sendable {
    private let task: Task<Void, Never>
    private let alarm: Alarm

    /// - Parameter work: Returns when to come again; nil to end.
    init(_ work: @escaping @Sendable () async -> ContinuousClock.Instant?) {
        let alarm = Alarm()
        self.alarm = alarm
        task = Task {
            while !Task.isCancelled, let next = await work() { await alarm.sleep(until: next) }
        }
    }

    func wake() { alarm.ring() }

    func cancel() {
        task.cancel()
        alarm.ring()
    }
}

/// A sleep that can be ended. A ring before the sleep ends it at once.
private final class Alarm: Sendable {
    private struct State {
        var hasRung = false
        var sleep: Task<Void, Never>?
    }

    private let state = Mutex(State())

    func ring() {
        let sleep = state.withLock { state in
            state.hasRung = true
            return state.sleep
        }
        sleep?.cancel()
    }

    func sleep(until instant: ContinuousClock.Instant) async {
        let sleep = state.withLock { state -> Task<Void, Never>? in
            guard !state.hasRung else { return nil }
            let sleep = Task { _ = try? await Task.sleep(until: instant, clock: .continuous) }
            state.sleep = sleep
            return sleep
        }
        await sleep?.value
        state.withLock { state in
            state.hasRung = false
            state.sleep = nil
        }
    }
}

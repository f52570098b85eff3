private import Synchronization

/// A background task that works, sleeps until the next work is due or it is woken, and ends when
/// there is no more work.
final class Forwarder: Sendable {
    private let task: Task<Void, Never>
    private let alarm: Alarm

    /// - Parameter work: Returns the time of the next call; nil to end.
    init(_ work: @escaping @Sendable () async -> ContinuousClock.Instant?) {
        let alarm = Alarm()
        self.alarm = alarm
        task = Task {
            while !Task.isCancelled, let next = await work() { await alarm.sleep(until: next) }
        }
    }

    /// Schedules the work no later than `instant`.
    func wake(by instant: ContinuousClock.Instant) { alarm.ring(ifSleepingBeyond: instant) }

    func cancel() {
        task.cancel()
        alarm.ring()
    }
}

/// A sleep that can be ended. A ring before the sleep ends it at once.
private final class Alarm: Sendable {
    private struct State {
        var hasRung = false
        var sleep: (task: Task<Void, Never>, end: ContinuousClock.Instant)?
    }

    private let state = Mutex(State())

    func ring(ifSleepingBeyond instant: ContinuousClock.Instant? = nil) {
        let sleep = state.withLock { state -> Task<Void, Never>? in
            if let instant, let sleep = state.sleep, sleep.end <= instant { return nil }
            state.hasRung = true
            return state.sleep?.task
        }
        sleep?.cancel()
    }

    func sleep(until instant: ContinuousClock.Instant) async {
        let sleep = state.withLock { state -> Task<Void, Never>? in
            guard !state.hasRung else { return nil }
            let sleep = Task { _ = try? await Task.sleep(until: instant, clock: .continuous) }
            state.sleep = (sleep, instant)
            return sleep
        }
        await sleep?.value
        state.withLock { state in
            state.hasRung = false
            state.sleep = nil
        }
    }
}

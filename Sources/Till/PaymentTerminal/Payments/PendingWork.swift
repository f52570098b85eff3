/// The pending work for orders, and its schedule.
struct PendingWork {
    var orders = OpenOrders()
    /// Whether the orders of earlier processes were read from the journal.
    var hasRecovered = false
    /// Sends messages in the background; nil while no orders are open.
    var forwarder: Forwarder?
    /// Whether a round of tries is in progress. There is only one round at a time.
    private(set) var isInRound = false
    private var waitingForRound: [CheckedContinuation<Void, Never>] = []
    /// Until this time, the background does not ask the unreachable host.
    private(set) var hostIsAwayUntil: ContinuousClock.Instant?
    private var hostPause: Duration?

    var isHostAway: Bool { hostIsAwayUntil.map { ContinuousClock.now < $0 } ?? false }

    /// Called when the host was unreachable: the background waits; the pause is doubled each time,
    /// from `first` up to `longest`.
    mutating func hostWasUnreachable(first: Duration, longest: Duration) {
        let pause = min(hostPause.map { $0 * 2 } ?? first, longest)
        hostPause = pause
        hostIsAwayUntil = .now + pause
    }

    mutating func hostWasReached() {
        hostPause = nil
        hostIsAwayUntil = nil
    }

    mutating func beginRound() { isInRound = true }

    /// Resumes the tasks that wait for the end of the round.
    mutating func endRound() {
        isInRound = false
        for next in waitingForRound { next.resume() }
        waitingForRound = []
    }

    mutating func waitForRound(_ continuation: CheckedContinuation<Void, Never>) {
        waitingForRound.append(continuation)
    }
}

/// What the terminal still has to do for its orders, and when it does that.
struct PendingWork {
    var orders = OpenOrders()
    /// Whether the orders of earlier processes were read from the journal.
    var hasRecovered = false
    /// Delivers in the background; nil while nothing is open.
    var forwarder: Forwarder?
    /// Whether open orders are given a try now. One round at a time.
    private(set) var isInRound = false
    private var waitingForRound: [CheckedContinuation<Void, Never>] = []
    /// While the host cannot be reached the background does not ask it.
    private(set) var hostIsAwayUntil: ContinuousClock.Instant?
    private var hostPause: Duration?

    var isHostAway: Bool { hostIsAwayUntil.map { ContinuousClock.now < $0 } ?? false }

    /// The host could not be reached: the background waits, each time twice as long, from `first` up to `longest`.
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

    /// Resumes those that wait for the end of the round.
    mutating func endRound() {
        isInRound = false
        for next in waitingForRound { next.resume() }
        waitingForRound = []
    }

    mutating func waitForRound(_ continuation: CheckedContinuation<Void, Never>) { waitingForRound.append(continuation) }
}

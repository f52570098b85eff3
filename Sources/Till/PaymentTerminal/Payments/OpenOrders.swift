/// The orders with pending messages to the host, and the time of the next try for each.
struct OpenOrders {
    struct Order {
        private var content: Content
        /// Not before this moment.
        fileprivate(set) var nextTry: ContinuousClock.Instant
        /// The pause after the next refusal by the host.
        fileprivate var pause: Duration
        /// Since when this process has the order open.
        fileprivate var begin = ContinuousClock.now
        /// Whether an earlier message about the order may have been carried out: its answer was
        /// lost, or an earlier process may have sent it.
        fileprivate(set) var isInDoubt = false
        /// A counter: the oldest order has the lowest number.
        fileprivate let number: Int

        fileprivate init(
            _ entry: JournalEntry, told: JournalEntry?, nextTry: ContinuousClock.Instant, pause: Duration, number: Int
        ) {
            content = Content(entry: entry, told: told, reported: (told ?? entry).response)
            self.nextTry = nextTry
            self.pause = pause
            self.number = number
        }

        var entry: JournalEntry { content.entry }

        /// Whether the journal has the current entry.
        var isWritten: Bool { content.told == nil }

        /// The entry as its caller may know it: while the journal cannot take the current one, the
        /// one before. After a restart the order may end otherwise.
        var told: JournalEntry { content.told ?? content.entry }

        fileprivate mutating func keep(_ entry: JournalEntry, told: JournalEntry?) {
            content = Content(entry: entry, told: told, reported: content.reported)
        }

        /// The response known to the caller; nil if none.
        fileprivate(set) var reported: PaymentResponse? {
            get { content.reported }
            set { content = Content(entry: content.entry, told: content.told, reported: newValue) }
        }
    }

    /// The large part of an order. A dictionary reserves more places than it uses, and a place
    /// for this is 4 KB large.
    private final class Content: Sendable {
        let entry: JournalEntry
        /// Nil if the journal has the entry.
        let told: JournalEntry?
        let reported: PaymentResponse?

        init(entry: JournalEntry, told: JournalEntry?, reported: PaymentResponse?) {
            self.entry = entry
            self.told = told
            self.reported = reported
        }
    }

    private var known: [OrderID: Order] = [:]
    private var numbers = 0..<0
    /// The amounts of the payments that were accepted without the host, and that it has not
    /// accepted yet.
    private(set) var stored: [OrderID: Money] = [:]
    /// The orders that a task is processing.
    private var claimed: Set<OrderID> = []
    private(set) var waiting: [OrderID: [CheckedContinuation<Void, Never>]] = [:]

    /// All, the oldest first.
    var oldestFirst: [Order] { known.values.sorted { $0.number < $1.number } }

    /// The orders that are due, oldest first.
    func due(at moment: ContinuousClock.Instant) -> [Order] {
        known.values.filter { $0.nextTry <= moment }.sorted { $0.number < $1.number }
    }
    var isEmpty: Bool { known.isEmpty }

    /// The time of the next try; nil if there are no unclaimed open orders.
    var nextTry: ContinuousClock.Instant? {
        known.lazy.filter { [claimed] in !claimed.contains($0.key) }.map(\.value.nextTry).min()
    }

    subscript(_ orderID: OrderID) -> JournalEntry? { known[orderID]?.entry }

    /// The order as its caller may know it.
    func told(_ orderID: OrderID) -> JournalEntry? { known[orderID]?.told }

    func told(_ key: IdempotencyKey) -> JournalEntry? { known.values.first { $0.entry.key == key }?.told }

    /// Those whose current entry the journal does not have, the newest first.
    var unwritten: [Order] { oldestFirst.reversed().filter { !$0.isWritten } }

    /// Whether the host may still be asked to reverse the payment with this reference.
    func isBeingReversed(_ uniqueReference: String) -> Bool {
        // While the journal cannot take that a reversal was refused, the next process asks for it again.
        known.values.flatMap { [$0.entry, $0.told] }.contains { entry in
            guard let response = entry.response, response.uniqueReference == uniqueReference else { return false }
            switch response.outcome {
            case .reversed, .unknown: return true
            case .approved, .partiallyApproved, .storedOffline, .declined: return false
            }
        }
    }

    /// Notes that a message about the order has left and was not answered.
    ///
    /// A payment may have waited for hours before it was sent: what the host has of it cannot be
    /// older than the first such message.
    mutating func doubt(_ orderID: OrderID) {
        guard known[orderID]?.isInDoubt == false else { return }
        known[orderID]?.isInDoubt = true
        known[orderID]?.begin = .now
    }

    /// Whether an earlier message about the order may have been carried out, so that the host's
    /// answer to a repetition does not tell.
    func isInDoubt(_ orderID: OrderID) -> Bool { known[orderID]?.isInDoubt ?? false }

    /// How long this process has had the order open, or how long ago its first message was not
    /// answered.
    func age(of orderID: OrderID) -> Duration { known[orderID].map { $0.begin.duration(to: .now) } ?? .zero }

    func isWritten(_ orderID: OrderID) -> Bool { known[orderID]?.isWritten ?? true }

    func reported(_ orderID: OrderID) -> PaymentResponse? { known[orderID]?.reported }

    mutating func report(_ response: PaymentResponse, of orderID: OrderID) { known[orderID]?.reported = response }

    /// Adds an order, to be tried after `pause`, or updates it.
    ///
    /// - Parameter told: What its caller was told just now; nil for nothing.
    mutating func keep(_ entry: JournalEntry, isWritten: Bool, told: JournalEntry? = nil, pause: Duration) {
        stored[entry.orderID] = entry.isStored ? entry.amount : nil
        if let before = known[entry.orderID] {
            known[entry.orderID]?.keep(entry, told: isWritten ? nil : told ?? before.told)
            if let told { known[entry.orderID]?.reported = told.response }
            return
        }
        known[entry.orderID] = Order(
            entry, told: isWritten ? nil : told ?? entry, nextTry: .now + pause, pause: pause,
            number: numbers.upperBound)
        // ordered: the upper end moves up
        numbers = numbers.lowerBound..<(numbers.upperBound + 1)
    }

    /// Adds the orders of a journal, oldest first, before those that are already open.
    mutating func prepend(_ entries: [JournalEntry], pause: Duration) {
        for entry in entries.reversed() where known[entry.orderID] == nil {
            // ordered: the lower end moves down
            numbers = (numbers.lowerBound - 1)..<numbers.upperBound
            known[entry.orderID] = Order(
                entry, told: nil, nextTry: .now + pause, pause: pause, number: numbers.lowerBound)
            doubt(entry.orderID)
            stored[entry.orderID] = entry.isStored ? entry.amount : nil
        }
    }

    mutating func remove(_ orderID: OrderID) {
        known[orderID] = nil
        stored[orderID] = nil
    }

    /// Postpones the order; the pause is doubled each time, up to `longest`.
    mutating func postpone(_ orderID: OrderID, longest: Duration) {
        guard var order = known[orderID] else { return }
        order.nextTry = .now + order.pause
        order.pause = min(order.pause * 2, longest)
        known[orderID] = order
    }

    // MARK: Claims

    func isClaimed(_ orderID: OrderID) -> Bool { claimed.contains(orderID) }

    mutating func claim(_ orderID: OrderID) { claimed.insert(orderID) }

    mutating func release(_ orderID: OrderID) {
        claimed.remove(orderID)
        for waiting in waiting.removeValue(forKey: orderID) ?? [] { waiting.resume() }
    }

    mutating func wait(for orderID: OrderID, _ continuation: CheckedContinuation<Void, Never>) {
        waiting[orderID, default: []].append(continuation)
    }
}

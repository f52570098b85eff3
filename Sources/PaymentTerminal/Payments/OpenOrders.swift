/// The orders that the host is still to hear of, oldest first, and when each is tried next.
struct OpenOrders {
    struct Order {
        var entry: JournalEntry
        /// Whether the journal has the entry as it is.
        fileprivate(set) var isWritten: Bool
        /// Not before this moment.
        fileprivate(set) var nextTry: ContinuousClock.Instant
        /// What the host's next refusal adds to it.
        fileprivate(set) var pause: Duration
    }

    private(set) var orders: [Order] = []
    /// The orders that somebody is at work on.
    private var claimed: Set<OrderID> = []
    private var waiting: [OrderID: [CheckedContinuation<Void, Never>]] = [:]

    var entries: [JournalEntry] { orders.map(\.entry) }
    var isEmpty: Bool { orders.isEmpty }

    /// The payments that were taken without the host, and that it has not taken yet.
    var stored: [JournalEntry] { entries.filter(\.isStored) }

    /// When something is to be tried next; nil if nothing is open.
    var nextTry: ContinuousClock.Instant? { orders.lazy.filter { [claimed] in !claimed.contains($0.entry.orderID) }.map(\.nextTry).min() }

    subscript(_ orderID: OrderID) -> JournalEntry? { orders.first { $0.entry.orderID == orderID }?.entry }

    /// Adds an order, to be tried after `pause`, or takes what it has become.
    mutating func keep(_ entry: JournalEntry, isWritten: Bool, pause: Duration) {
        if let place = place(of: entry.orderID) {
            orders[place].entry = entry
            orders[place].isWritten = isWritten
        } else {
            orders.append(Order(entry: entry, isWritten: isWritten, nextTry: .now + pause, pause: pause))
        }
    }

    /// Those of a journal, which are older than whatever is open already.
    mutating func prepend(_ entries: [JournalEntry], pause: Duration) {
        let known = Set(orders.map(\.entry.orderID))
        orders =
            entries.filter { !known.contains($0.orderID) }.map { Order(entry: $0, isWritten: true, nextTry: .now + pause, pause: pause) }
            + orders
    }

    func isWritten(_ orderID: OrderID) -> Bool { place(of: orderID).map { orders[$0].isWritten } ?? true }

    mutating func remove(_ orderID: OrderID) {
        orders.removeAll { $0.entry.orderID == orderID }
    }

    /// Has the order wait, each time twice as long, up to `longest`.
    mutating func postpone(_ orderID: OrderID, longest: Duration) {
        guard let place = place(of: orderID) else { return }
        orders[place].nextTry = .now + orders[place].pause
        orders[place].pause = min(orders[place].pause * 2, longest)
    }

    private func place(of orderID: OrderID) -> Int? { orders.firstIndex { $0.entry.orderID == orderID } }

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

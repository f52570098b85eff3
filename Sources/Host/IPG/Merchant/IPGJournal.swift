private import Synchronization

/// Where a shop keeps its orders at the gateway: a table with the id as its key and the order as
/// JSON (``IPGOrder`` is `Codable`) is enough. What a call has written stays after a power cut.
///
/// All calls may come at the same time, also from several processes: a gateway repeats a
/// notification while the first one is still being written.
public protocol IPGJournal: Sendable {
    /// The order; nil if it was never inserted.
    func order(_ id: IPGOrderID) async throws(IPGJournalError) -> IPGOrder?

    /// Writes a new order.
    ///
    /// - Throws: ``IPGJournalError/orderExists`` if the journal has one of its id.
    func insert(_ order: IPGOrder) async throws(IPGJournalError)

    /// Replaces an order as it was read by its next state, in one step: in SQL an update where
    /// the old content is a condition.
    ///
    /// - Returns: False if the journal has another content than `old` by now; nothing is written
    ///   then.
    func replace(_ old: IPGOrder, by new: IPGOrder) async throws(IPGJournalError) -> Bool

    /// The orders that are open, in doubt, or owe a reversal (``IPGOrder/isUnsettled``).
    func unsettled() async throws(IPGJournalError) -> [IPGOrder]
}

/// Why the journal does not store an order.
public enum IPGJournalError: Error, Sendable, Equatable {
    /// Choose another order id: the gateway refuses a repeated one, too.
    case orderExists
    /// It cannot be read or written.
    case failed
}

extension IPGJournalError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .orderExists: "the journal has an order of this id: choose another id"
        case .failed: "the journal of orders cannot be read or written"
        }
    }
}

/// A journal that ends with the process: for trials and tests. A shop needs one on a disk.
public final class MemoryIPGJournal: IPGJournal {
    private let orders = Mutex<[IPGOrderID: IPGOrder]>([:])

    public init() {}

    public func order(_ id: IPGOrderID) async throws(IPGJournalError) -> IPGOrder? {
        orders.withLock { $0[id] }
    }

    public func insert(_ order: IPGOrder) async throws(IPGJournalError) {
        let isNew = orders.withLock { orders in
            guard orders[order.id] == nil else { return false }
            orders[order.id] = order
            return true
        }
        guard isNew else { throw .orderExists }
    }

    public func replace(_ old: IPGOrder, by new: IPGOrder) async throws(IPGJournalError) -> Bool {
        orders.withLock { orders in
            guard orders[old.id] == old, old.id == new.id else { return false }
            orders[old.id] = new
            return true
        }
    }

    public func unsettled() async throws(IPGJournalError) -> [IPGOrder] {
        orders.withLock { $0.values.filter(\.isUnsettled).sorted { $0.id.text < $1.id.text } }
    }
}

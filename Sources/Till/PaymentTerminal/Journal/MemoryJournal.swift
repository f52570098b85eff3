public import Bytes
import CardCapture
private import CardCryptography
private import Synchronization

/// A journal that ends with the process: for trials, and for lanes where only the host records
/// payments.
///
/// Pending messages to the host are lost when the process ends. A shop needs a journal on a disk.
public final class MemoryJournal: TransactionJournal {
    private struct State {
        var entries: [JournalEntry] = []
        var day = JournalDay()
        /// When each order was last written, by the journal's own count.
        var days: [OrderID: Int64] = [:]
        var nextSequenceCounter: UInt32
    }

    private let state: Mutex<State>
    private let key = SecretBytes(SecureRandom.bytes(32))

    /// - Parameter nextSequenceCounter: The counter of the next transaction, tag `9F41`.
    public init(nextSequenceCounter: UInt32 = 1) { state = Mutex(State(nextSequenceCounter: nextSequenceCounter)) }

    public func insert(_ entry: JournalEntry) async throws(JournalError) {
        let isNew = state.withLock { state in
            let isNew = !state.entries.contains {
                $0.orderID == entry.orderID || entry.key != nil && $0.key == entry.key
            }
            if isNew {
                state.entries.append(entry)
                state.days[entry.orderID] = state.day.number
            }
            return isNew
        }
        guard isNew else { throw .orderExists }
    }

    public func update(_ entry: JournalEntry, _ durability: JournalDurability) async throws(JournalError) {
        state.withLock { state in
            state.days[entry.orderID] = state.day.number
            if let place = state.entries.firstIndex(where: { $0.orderID == entry.orderID }) {
                state.entries[place] = entry
            } else {
                state.entries.append(entry)
            }
        }
    }

    public func entry(for orderID: OrderID, or key: IdempotencyKey?) async throws(JournalError) -> JournalEntry? {
        state.withLock { state in
            state.entries.first { key != nil && $0.key == key } ?? state.entries.first { $0.orderID == orderID }
        }
    }

    public func openEntries() async throws(JournalError) -> [JournalEntry] {
        state.withLock { $0.entries.filter { $0.stage != .finished } }
    }

    public func latest(_ limit: Int) async throws(JournalError) -> [JournalEntry] {
        state.withLock { $0.entries.suffix(limit).reversed() }
    }

    public func count(date: Int64) async throws(JournalError) { state.withLock { $0.day.count(date) } }

    public func purge(keepingDays days: Int, limit: Int) async throws(JournalError) -> Int {
        state.withLock { state in
            guard let last = state.day.last(before: days) else { return 0 }
            let count = state.entries.count
            var left = limit
            state.entries.removeAll { entry in
                guard left > 0, entry.stage == .finished, state.days[entry.orderID].map({ $0 <= last }) ?? false else {
                    return false
                }
                left -= 1
                state.days[entry.orderID] = nil
                return true
            }
            return count - state.entries.count
        }
    }

    public func takeSequenceCounter() async throws(JournalError) -> UInt32 {
        state.withLock { state in
            defer {
                state.nextSequenceCounter = state.nextSequenceCounter >= 99_999_999 ? 1 : state.nextSequenceCounter + 1
            }
            return state.nextSequenceCounter
        }
    }

    public func digest(of request: SecretBytes) -> [UInt8] {
        var bytes = request.revealed()
        defer { wipe(&bytes) }
        return HMACSHA256.authenticate(bytes, key: key)
    }
}

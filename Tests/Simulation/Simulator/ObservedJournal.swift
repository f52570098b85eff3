internal import Bytes
internal import PaymentTerminal

/// The shipped journal, with every acknowledged write noted: what it said is lasting must be there
/// after any death.
final class ObservedJournal: TransactionJournal {
    private let journal: any TransactionJournal
    private let world: World
    private let life: Int

    init(_ journal: any TransactionJournal, _ world: World, life: Int) {
        self.journal = journal
        self.world = world
        self.life = life
    }

    func insert(_ entry: JournalEntry) async throws(JournalError) {
        try await noted(entry, .lasting) { () async throws(JournalError) in try await journal.insert(entry) }
    }

    func update(_ entry: JournalEntry, _ durability: JournalDurability) async throws(JournalError) {
        try await noted(entry, durability) { () async throws(JournalError) in
            try await journal.update(entry, durability)
        }
    }

    private func noted(
        _ entry: JournalEntry, _ durability: JournalDurability, _ write: () async throws(JournalError) -> Void
    ) async throws(JournalError) {
        world.shop.writes(entry, world)
        // The disk takes the write and not its flush, and the process ends before it can try again:
        // what failed is there.
        let isUnflushed =
            entry.response?.outcome == .storedOffline && entry.stage == .owing
            && world.strikes(.storedUnflushed, .corners, order: entry.orderID)
        world.losesNextSync = isUnflushed
        if durability == .lasting { world.marksToCome += 1 }
        defer { if durability == .lasting, life == world.life { world.marksToCome -= 1 } }
        do throws(JournalError) {
            try await write()
        } catch {
            world.note("journal: \(entry.orderID) \(entry.stage) failed: \(error.message)")
            world.shop.lastEvent[entry.orderID] = "journal failed"
            if isUnflushed { world.endProcess(after: 100_000_000) }
            // Two who read the host's list at once insert the same orders; the second is refused.
            if error.code != .orderExists || !world.shop.wasRestored {
                world.shop.journalFailed(entry.orderID, Task.isCancelled, world)
            }
            throw error
        }
        world.shop.wrote(entry, durability, world)
    }

    /// A query of the journal fails only where the disk does.
    private func asked<Answer>(
        _ order: OrderID? = Shop.order, _ query: () async throws(JournalError) -> Answer
    ) async throws(JournalError) -> Answer {
        do throws(JournalError) {
            return try await query()
        } catch {
            if error.code == .failed, let order { world.shop.journalFailed(order, Task.isCancelled, world) }
            throw error
        }
    }

    func entry(for orderID: OrderID, or key: IdempotencyKey?) async throws(JournalError) -> JournalEntry? {
        try await asked(orderID) { () async throws(JournalError) in try await journal.entry(for: orderID, or: key) }
    }
    func openEntries() async throws(JournalError) -> [JournalEntry] { try await journal.openEntries() }
    func latest(_ limit: Int) async throws(JournalError) -> [JournalEntry] {
        try await asked { () async throws(JournalError) in try await journal.latest(limit) }
    }
    func count(date: Int64) async throws(JournalError) { try await journal.count(date: date) }
    func purge(keepingDays days: Int, limit: Int) async throws(JournalError) -> Int {
        try await journal.purge(keepingDays: days, limit: limit)
    }

    func takeSequenceCounter() async throws(JournalError) -> UInt32 {
        let counter = try await journal.takeSequenceCounter()
        world.shop.tookCounter(counter)
        return counter
    }

    func tornTransactions() async throws(JournalError) -> SecretBytes? { try await journal.tornTransactions() }
    func keepTornTransactions(_ records: SecretBytes) async throws(JournalError) {
        try await journal.keepTornTransactions(records)
    }

    func digest(of request: SecretBytes) -> [UInt8] { journal.digest(of: request) }
    func condition() async throws(JournalError) -> JournalCondition {
        try await asked { () async throws(JournalError) in try await journal.condition() }
    }

    func verify() async throws(JournalError) { try await journal.verify() }

    func closeGap() async throws(JournalError) {
        world.note("journal: the gap is closed")
        try await journal.closeGap()
    }
}

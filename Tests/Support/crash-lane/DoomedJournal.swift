import Bytes
import PaymentTerminal

/// A journal around each of whose writes the process may die.
struct DoomedJournal: TransactionJournal {
    let journal: any TransactionJournal
    let doom: Doom

    private func write<Success>(_ body: () async throws(JournalError) -> Success) async throws(JournalError) -> Success
    {
        doom.point()
        let result = try await body()
        doom.point()
        return result
    }

    func insert(_ entry: JournalEntry) async throws(JournalError) {
        try await write { () async throws(JournalError) in try await journal.insert(entry) }
    }

    func update(_ entry: JournalEntry, _ durability: JournalDurability) async throws(JournalError) {
        try await write { () async throws(JournalError) in try await journal.update(entry, durability) }
    }

    /// No write: the counter is lasting with the next entry.
    func takeSequenceCounter() async throws(JournalError) -> UInt32 { try await journal.takeSequenceCounter() }

    func count(date: Int64) async throws(JournalError) {
        try await write { () async throws(JournalError) in try await journal.count(date: date) }
    }

    func purge(keepingDays days: Int, limit: Int) async throws(JournalError) -> Int {
        try await write { () async throws(JournalError) in try await journal.purge(keepingDays: days, limit: limit) }
    }

    func closeGap() async throws(JournalError) {
        try await write { () async throws(JournalError) in try await journal.closeGap() }
    }

    func entry(for orderID: OrderID, or key: IdempotencyKey?) async throws(JournalError) -> JournalEntry? {
        try await journal.entry(for: orderID, or: key)
    }

    func tornTransactions() async throws(JournalError) -> SecretBytes? { try await journal.tornTransactions() }

    func keepTornTransactions(_ records: SecretBytes) async throws(JournalError) {
        try await write { () async throws(JournalError) in try await journal.keepTornTransactions(records) }
    }

    func condition() async throws(JournalError) -> JournalCondition { try await journal.condition() }
    func openEntries() async throws(JournalError) -> [JournalEntry] { try await journal.openEntries() }
    func latest(_ limit: Int) async throws(JournalError) -> [JournalEntry] { try await journal.latest(limit) }
    func digest(of request: SecretBytes) -> [UInt8] { journal.digest(of: request) }
}

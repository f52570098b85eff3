package import Bytes
package import PaymentTerminal

/// A journal in front of another one: what a double does not implement itself goes to the other
/// journal. Records of torn transactions are not kept.
package protocol RelayedJournal: TransactionJournal {
    associatedtype Kept: TransactionJournal

    /// The other journal.
    var kept: Kept { get }
}

extension RelayedJournal {
    package func insert(_ entry: JournalEntry) async throws(JournalError) { try await kept.insert(entry) }
    package func update(_ entry: JournalEntry, _ durability: JournalDurability) async throws(JournalError) {
        try await kept.update(entry, durability)
    }
    package func entry(for orderID: OrderID, or key: IdempotencyKey?) async throws(JournalError) -> JournalEntry? {
        try await kept.entry(for: orderID, or: key)
    }
    package func openEntries() async throws(JournalError) -> [JournalEntry] { try await kept.openEntries() }
    package func latest(_ limit: Int) async throws(JournalError) -> [JournalEntry] { try await kept.latest(limit) }
    package func count(date: Int64) async throws(JournalError) { try await kept.count(date: date) }
    package func purge(keepingDays days: Int, limit: Int) async throws(JournalError) -> Int {
        try await kept.purge(keepingDays: days, limit: limit)
    }
    package func takeSequenceCounter() async throws(JournalError) -> UInt32 { try await kept.takeSequenceCounter() }
    package func digest(of request: SecretBytes) -> [UInt8] { kept.digest(of: request) }
}

package import Bytes
package import PaymentTerminal

/// A journal as the next process opens it: another terminal may have it, while the one of the
/// process before is still in memory.
package struct ReopenedJournal<Kept: TransactionJournal>: RelayedJournal {
    package let kept: Kept

    package init(_ kept: Kept) { self.kept = kept }

    package func condition() async throws(JournalError) -> JournalCondition { try await kept.condition() }
    package func closeGap() async throws(JournalError) { try await kept.closeGap() }
    package func verify() async throws(JournalError) { try await kept.verify() }
    package func tornTransactions() async throws(JournalError) -> SecretBytes? { try await kept.tornTransactions() }
    package func keepTornTransactions(_ records: SecretBytes) async throws(JournalError) {
        try await kept.keepTornTransactions(records)
    }
}

extension TransactionJournal {
    /// The same journal, opened by the next process.
    package var reopened: any TransactionJournal { ReopenedJournal(self) }
}

public import Bytes

/// Records what a terminal is about to do before it does it, and the result.
///
/// Writes take effect in the order of their calls, and a cancelled task does not stop them. Entries
/// contain card data only until the host has received the payment; the journal stores them
/// encrypted. All calls come from one process.
public protocol TransactionJournal: Sendable {
    /// Writes the entry of a new order, and makes the sequence counters taken so far durable.
    ///
    /// - Throws: ``JournalError/orderExists`` if the order or its key has an entry.
    func insert(_ entry: JournalEntry) async throws(JournalError)

    /// Replaces the entry of the order, or adds it if its first write failed. A lasting update also
    /// makes the sequence counters taken so far durable.
    func update(_ entry: JournalEntry, _ durability: JournalDurability) async throws(JournalError)

    /// The entry of the key, else the entry of the order, in one look-up. Nil if both are new.
    ///
    /// - Throws: ``JournalError/Code/damaged`` if the entry exists but cannot be read.
    func entry(for orderID: OrderID, or key: IdempotencyKey?) async throws(JournalError) -> JournalEntry?

    /// The entries that are not finished, oldest first. Unreadable entries are skipped and listed
    /// in ``condition()``.
    func openEntries() async throws(JournalError) -> [JournalEntry]

    /// The latest entries that can be read, newest first.
    func latest(_ limit: Int) async throws(JournalError) -> [JournalEntry]

    /// Counts a day of the journal's own, if `date` is later than that of the call before, by at
    /// most 31 days. A clock that is set to another year counts nothing.
    ///
    /// - Parameter date: Days since 1970-01-01, by the terminal's clock.
    func count(date: Int64) async throws(JournalError)

    /// Deletes finished entries that were last written more than `days` of the journal's own days
    /// ago (``count(date:)``), at most `limit` of them: in slices, so that no payment waits for
    /// long.
    ///
    /// The timestamps of entries do not matter: a wrong clock must not delete an idempotency key
    /// that may still be repeated.
    /// - Returns: How many were deleted.
    func purge(keepingDays days: Int, limit: Int) async throws(JournalError) -> Int

    /// The transaction sequence counter of the next transaction, tag `9F41`: 1 to 99,999,999, then
    /// from 1 again.
    ///
    /// It becomes durable with the next ``insert(_:)`` or lasting ``update(_:_:)``: until then no
    /// host has received it.
    func takeSequenceCounter() async throws(JournalError) -> UInt32

    /// The records of the last ``keepTornTransactions(_:)``; empty if it was never called, or they
    /// cannot be read. Nil (the default) if the journal does not keep them.
    func tornTransactions() async throws(JournalError) -> SecretBytes?

    /// Stores the torn transactions of taps, replacing the previous ones, durably when the call
    /// returns. The reader defines the format of the bytes, which may contain card data.
    func keepTornTransactions(_ records: SecretBytes) async throws(JournalError)

    /// A keyed digest, 32 bytes, which identifies a request without storing it.
    func digest(of request: SecretBytes) -> [UInt8]

    /// The faults of the journal when it was opened.
    func condition() async throws(JournalError) -> JournalCondition

    /// Checks all entries for deletions and replacements outside the terminal, and records them in
    /// ``condition()``. It takes long in a large journal, but payments do not wait for it.
    func verify() async throws(JournalError)

    /// Records that the host's list was read after a gap (``JournalCondition/gap``).
    func closeGap() async throws(JournalError)
}

extension TransactionJournal {
    /// The entry of the order; nil if it has none.
    ///
    /// - Throws: ``JournalError/Code/damaged`` if the entry exists but cannot be read.
    public func entry(for orderID: OrderID) async throws(JournalError) -> JournalEntry? {
        try await entry(for: orderID, or: nil)
    }

    public func tornTransactions() async throws(JournalError) -> SecretBytes? { nil }
    public func keepTornTransactions(_ records: SecretBytes) async throws(JournalError) {}

    /// The default, for a journal that cannot be damaged.
    public func condition() async throws(JournalError) -> JournalCondition { JournalCondition() }
    public func closeGap() async throws(JournalError) {}
    public func verify() async throws(JournalError) {}
}

/// When a change of the journal is durable.
public enum JournalDurability: Sendable {
    /// When its call returns.
    case lasting
    /// With the next lasting change. After a power cut before that, it may be lost, and the
    /// terminal repeats the step: only for steps that may be repeated.
    case eventual
}

/// The faults of a journal when it was opened.
public struct JournalCondition: Sendable, Equatable {
    /// Why entries may be missing.
    public enum Gap: Sendable, Equatable {
        /// The journal is older than it has been before: it was restored from a backup.
        case restored
        /// Entries were deleted, or replaced by older ones, outside the terminal.
        case changed
    }

    /// The orders whose entry cannot be read and is set aside. Their order ids and keys remain in
    /// use.
    public var unreadable: [OrderID]
    /// Nil if nothing is missing. The terminal then asks the host for its list before it takes a
    /// payment.
    public var gap: Gap?

    /// The condition of a journal; by default without faults.
    public init(unreadable: [OrderID] = [], gap: Gap? = nil) {
        self.unreadable = unreadable
        self.gap = gap
    }
}

/// Why the journal cannot store an entry. The terminal then accepts no payments.
public struct JournalError: Error, Sendable, Equatable {
    /// The reason, which distinguishes a repeated order from a broken journal.
    ///
    /// The raw values are stable: programs and logs may keep them.
    public enum Code: String, Sendable, CaseIterable {
        /// The order or its idempotency key has an entry: choose another.
        case orderExists
        /// The disk is full: free space on it.
        case full
        /// The entry was changed outside the terminal, or sealed with another key.
        case damaged
        /// The file cannot be opened or written, or its key is not available.
        case failed
    }

    /// The reason, for programs.
    public let code: Code
    /// The reason and the cure, without card data.
    public let message: String

    /// An error for a journal to throw.
    ///
    /// - Parameters:
    ///   - code: The reason, for programs.
    ///   - message: The reason and the cure, without card data.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The error for an order or an idempotency key that already has an entry.
    public static let orderExists = JournalError(
        .orderExists, "the journal already contains the order or its idempotency key: choose another")
}

extension JournalError: CustomStringConvertible {
    public var description: String { message }
}

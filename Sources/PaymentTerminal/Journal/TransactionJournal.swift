public import Bytes

/// Where a terminal writes what it is about to do before it does it, and how it ended.
///
/// Writes take effect in the order of their calls, and a cancelled task does not stop them. Card data
/// in an entry are there only as long as the host must still hear of the payment; what the journal
/// stores it enciphers. Calls come from one process.
public protocol TransactionJournal: Sendable {
    /// Writes the entry of a new order, and makes the sequence counters taken so far lasting.
    ///
    /// - Throws: ``JournalError/orderExists`` if the order or its key has an entry.
    func insert(_ entry: JournalEntry) async throws(JournalError)

    /// Writes the entry in place of the one that the order has; it is a new one where the order has none, because its first write failed.
    /// A lasting update makes the sequence counters taken so far lasting, too.
    func update(_ entry: JournalEntry, _ durability: JournalDurability) async throws(JournalError)

    /// The entry of the key, or else the entry of the order: one look-up. Nil if both are new.
    ///
    /// - Throws: ``JournalError/Code/damaged`` if the entry is there and cannot be read.
    func entry(for orderID: OrderID, or key: IdempotencyKey?) async throws(JournalError) -> JournalEntry?

    /// The entries that are not finished, oldest first. One that cannot be read is left out and
    /// listed in ``condition()``.
    func openEntries() async throws(JournalError) -> [JournalEntry]

    /// The latest entries that can be read, newest first.
    func latest(_ limit: Int) async throws(JournalError) -> [JournalEntry]

    /// Deletes finished entries that began before `seconds` after 1970-01-01 00:00:00 UTC, at most
    /// `limit` of them: a slice, so that no payment waits for long.
    ///
    /// - Returns: How many were deleted.
    func purge(before seconds: Int64, limit: Int) async throws(JournalError) -> Int

    /// The transaction sequence counter of the next transaction, tag `9F41`: 1 to 99,999,999, then again from 1.
    ///
    /// It is lasting with the next ``insert(_:)`` or lasting ``update(_:_:)``: until then no host has seen it.
    func takeSequenceCounter() async throws(JournalError) -> UInt32

    /// What ``keepTornTransactions(_:)`` was given last; empty if it was never called, and if it cannot be read any more. Nil, as the
    /// default has it, from a journal that does not keep it.
    func tornTransactions() async throws(JournalError) -> SecretBytes?

    /// Keeps what taps left without an answer, in place of what it kept before; it is lasting when its call returns. Card data may be
    /// among the bytes, which are the reader's own.
    func keepTornTransactions(_ records: SecretBytes) async throws(JournalError)

    /// A keyed digest, 32 bytes, by which a request is recognised without being kept.
    func digest(of request: SecretBytes) -> [UInt8]

    /// What is wrong with the journal as it was found.
    func condition() async throws(JournalError) -> JournalCondition

    /// Looks at every entry for what was deleted or replaced outside the terminal, and notes it in ``condition()``. It takes long in a
    /// large journal, and no payment waits for it.
    func verify() async throws(JournalError)

    /// Notes that the host's list has been taken in after a gap (``JournalCondition/gap``).
    func closeGap() async throws(JournalError)
}

extension TransactionJournal {
    /// The entry of the order; nil if it has none.
    ///
    /// - Throws: ``JournalError/Code/damaged`` if the entry is there and cannot be read.
    public func entry(for orderID: OrderID) async throws(JournalError) -> JournalEntry? {
        try await entry(for: orderID, or: nil)
    }

    public func tornTransactions() async throws(JournalError) -> SecretBytes? { nil }
    public func keepTornTransactions(_ records: SecretBytes) async throws(JournalError) {}

    /// Of a journal that cannot be damaged.
    public func condition() async throws(JournalError) -> JournalCondition { JournalCondition() }
    public func closeGap() async throws(JournalError) {}
    public func verify() async throws(JournalError) {}
}

/// When a change of the journal is lasting.
public enum JournalDurability: Sendable {
    /// When its call returns.
    case lasting
    /// With the next change that is. A power cut before may take it back, and the terminal then does
    /// the step again: for steps that may be done twice.
    case eventual
}

/// What is wrong with a journal as it was found.
public struct JournalCondition: Sendable, Equatable {
    /// Why entries may be missing.
    public enum Gap: Sendable, Equatable {
        /// The journal is older than it has been before: it was restored from a backup.
        case restored
        /// Entries were deleted, or replaced by older ones, outside the terminal.
        case changed
    }

    /// The orders whose entry cannot be read and is set aside. Their order ids and keys stay taken.
    public var unreadable: [OrderID]
    /// Nil if nothing is missing. The terminal then asks the host for its list before it takes a payment.
    public var gap: Gap?

    /// The condition of a journal; by default nothing is wrong with it.
    public init(unreadable: [OrderID] = [], gap: Gap? = nil) {
        self.unreadable = unreadable
        self.gap = gap
    }
}

/// Why the journal cannot keep what it must keep. The terminal then takes no payment.
public struct JournalError: Error, Sendable, Equatable {
    /// The reason, by which the terminal tells a repeated order from a broken journal.
    public enum Code: Sendable {
        /// The order or its idempotency key has an entry: choose another.
        case orderExists
        /// The disk is full: free space on it.
        case full
        /// The entry was changed from outside, or its key is not the journal's.
        case damaged
        /// The file cannot be opened or written, or its key is not available.
        case failed
    }

    /// The reason, for programs.
    public let code: Code
    /// Why, and what to do about it. Never card data.
    public let message: String

    /// An error for a journal to throw.
    ///
    /// - Parameters:
    ///   - code: The reason, for programs.
    ///   - message: Why, and what to do about it, without card data.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// What a journal throws for an order or an idempotency key that has an entry.
    public static let orderExists = JournalError(
        .orderExists, "the journal already contains the order or its idempotency key: choose another")
}

extension JournalError: CustomStringConvertible {
    public var description: String { message }
}

public import Bytes

/// Where a terminal writes what it is about to do before it does it, and what became of it.
///
/// Every change is lasting when its call returns. Card data in an entry are there only as long as the host must still be told of the
/// payment; what the journal stores it enciphers. Calls come one at a time from one terminal.
public protocol TransactionJournal: Sendable {
    /// - Throws: ``JournalError/orderExists`` if the order or its key has an entry.
    func insert(_ entry: JournalEntry) async throws(JournalError)

    /// Writes the entry in place of the one that the order has.
    func update(_ entry: JournalEntry) async throws(JournalError)

    func entry(for orderID: OrderID) async throws(JournalError) -> JournalEntry?

    func entry(for key: IdempotencyKey) async throws(JournalError) -> JournalEntry?

    /// The entries that are not finished, oldest first.
    func openEntries() async throws(JournalError) -> [JournalEntry]

    /// The latest entries, newest first.
    func latest(_ limit: Int) async throws(JournalError) -> [JournalEntry]

    /// Forgets the finished entries that began before `seconds` after 1970-01-01 00:00:00 UTC.
    ///
    /// - Returns: How many those were.
    func purge(before seconds: Int64) async throws(JournalError) -> Int

    /// The transaction sequence counter of the next transaction, tag `9F41`: 1 to 99,999,999, then again from 1.
    func takeSequenceCounter() async throws(JournalError) -> UInt32

    /// A keyed digest, 32 bytes, by which a request is recognised without being kept.
    func digest(of request: SecretBytes) -> [UInt8]
}

/// Why the journal cannot keep what it must keep. The terminal then takes no payment.
public struct JournalError: Error, Sendable, Equatable {
    public enum Code: Sendable {
        case orderExists
        case full
        /// The entry was changed from outside, or its key is not the journal's.
        case damaged
        case failed
    }

    public let code: Code
    /// Why, and what to do about it. Never card data.
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public static let orderExists = JournalError(
        .orderExists, "the order, or its idempotency key, is in the journal already: choose another")
}

extension JournalError: CustomStringConvertible {
    public var description: String { message }
}

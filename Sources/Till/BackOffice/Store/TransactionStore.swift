/// The transactions of one merchant: what a back office searches, shows and counts.
///
/// All but the state of a row stays as it was added, so that the place of a row in an order never
/// changes. Calls may come from any task. A failure of the storage itself is thrown as the
/// storage's own error, and nothing of the call is stored then.
public protocol TransactionStore: Sendable {
    /// Adds a transaction. Adding it again changes nothing, whatever its state and receipt.
    ///
    /// - Throws: ``TransactionStoreError/exists`` if a transaction with its id differs in more than
    ///   its state; ``TransactionStoreError/receiptTooLarge``.
    func add(_ row: TransactionRow, receipt: ReceiptData?) async throws

    /// Changes the state of a transaction, and what statistics say of it.
    ///
    /// - Throws: ``TransactionStoreError/notFound``
    func change(_ id: String, to state: TransactionState) async throws

    /// Nil if there is no such transaction.
    func transaction(_ id: String) async throws -> TransactionRow?

    /// Nil if there is no such transaction, or if it has no receipt.
    func receipt(of id: String) async throws -> ReceiptData?

    func search(_ query: SearchQuery) async throws -> SearchPage

    func statistics(_ query: StatisticsQuery) async throws -> Statistics
}

/// Why a store refuses.
public enum TransactionStoreError: Error, Sendable, Equatable, CustomStringConvertible {
    case exists
    case notFound
    /// More items or taxes than ``ReceiptData/itemLimit``, or a text that is longer than
    /// ``ReceiptData/textLimit``.
    case receiptTooLarge

    public var description: String {
        switch self {
        case .exists: "another transaction has this id: give each its own"
        case .notFound: "the transaction is not found: check its id"
        case .receiptTooLarge:
            "the receipt exceeds \(ReceiptData.itemLimit) items, or \(ReceiptData.textLimit) bytes in a text"
        }
    }
}

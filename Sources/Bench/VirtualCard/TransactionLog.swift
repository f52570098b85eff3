internal import TLV

/// The last transactions, newest first, readable by terminals (EMV 4.4 Book 3, annex D).
struct TransactionLog {
    /// Tag `9F4D`, byte 1.
    static let shortFileIdentifier: UInt8 = 11
    /// Tag `9F4D`, byte 2.
    static let capacity = 10

    /// Values in the order of the log format, without tags.
    private(set) var records: [[UInt8]] = []

    mutating func append(_ transaction: CardTransaction, format: DOL) {
        var elements = transaction.terminal
        elements[.applicationTransactionCounter] = transaction.counter.bigEndianBytes
        records.insert(format.concatenate(elements), at: 0)
        if records.count > Self.capacity { records.removeLast() }
    }
}

import Bytes
import FoundationEssentials
import GRDB
import SealedStore

extension VaultTransaction {
    /// The last known application transaction counter of the card; nil for a new card.
    func transactionCounter(panLookup: [UInt8], sequenceNumber: UInt8) throws -> UInt16? {
        try UInt16.fetchOne(
            database.cachedStatement(sql: "SELECT atc FROM card_counter WHERE pan_lookup = ? AND pan_sequence_number = ?"),
            arguments: [Data(panLookup), sequenceNumber])
    }

    func saveTransactionCounter(_ counter: StoredOrder.CardCounter, panLookup: [UInt8]) throws {
        try database.cachedStatement(sql: "INSERT OR REPLACE INTO card_counter VALUES (?, ?, ?)").execute(
            arguments: [Data(panLookup), counter.panSequenceNumber, counter.atc])
    }
}

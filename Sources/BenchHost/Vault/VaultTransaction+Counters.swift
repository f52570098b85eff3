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

    /// Whether a correct ARQC of the card with this counter has been received before.
    func hasSeen(_ counter: StoredOrder.CardCounter, panLookup: [UInt8]) throws -> Bool {
        try Bool.fetchOne(
            database.cachedStatement(sql: "SELECT 1 FROM payment_order WHERE pan_lookup = ? AND pan_sequence_number = ? AND atc = ?"),
            arguments: [Data(panLookup), counter.panSequenceNumber, counter.atc]) != nil
    }

    /// Whether the card has computed this before, at any counter.
    ///
    /// - Parameter cryptogram: Its keyed hash.
    func hasSeen(cryptogram: [UInt8], panLookup: [UInt8]) throws -> Bool {
        try Bool.fetchOne(
            database.cachedStatement(sql: "SELECT 1 FROM payment_order WHERE pan_lookup = ? AND cryptogram = ?"),
            arguments: [Data(panLookup), Data(cryptogram)]) != nil
    }

    /// To be called before the order of a card that began again is saved: its earlier counters
    /// count no longer.
    func forgetCounters(panLookup: [UInt8], sequenceNumber: UInt8) throws {
        for sql in [
            "DELETE FROM card_counter WHERE pan_lookup = ? AND pan_sequence_number = ?",
            "UPDATE payment_order SET atc = NULL WHERE pan_lookup = ? AND pan_sequence_number = ?",
        ] {
            try database.cachedStatement(sql: sql).execute(arguments: [Data(panLookup), sequenceNumber])
        }
    }
}

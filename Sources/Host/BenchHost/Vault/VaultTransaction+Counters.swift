import Bytes
import FoundationEssentials
import GRDB
import SealedStore

/// What the vault knows of a card's transactions.
struct KnownCounter {
    /// The highest of the card's correct counters; zero for a card that has begun again and not
    /// paid yet.
    let last: UInt16
    let hasBegunAgain: Bool
}

extension VaultTransaction {
    /// Nil for a new card.
    func counter(panLookup: [UInt8], sequenceNumber: UInt8) throws -> KnownCounter? {
        try Row.fetchOne(
            database.cachedStatement(
                sql: "SELECT atc, has_begun_again FROM card_counter WHERE pan_lookup = ? AND pan_sequence_number = ?"),
            arguments: [Data(panLookup), sequenceNumber]
        ).map { KnownCounter(last: $0["atc"], hasBegunAgain: $0["has_begun_again"]) }
    }

    func saveTransactionCounter(_ counter: StoredOrder.CardCounter, panLookup: [UInt8]) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO card_counter (pan_lookup, pan_sequence_number, atc) VALUES (?, ?, ?)
                ON CONFLICT (pan_lookup, pan_sequence_number) DO UPDATE SET atc = excluded.atc
                """
        ).execute(arguments: [Data(panLookup), counter.panSequenceNumber, counter.atc])
    }

    /// To be called before the order of a card that begins again is saved: its earlier counters
    /// count no longer.
    func beginAgain(panLookup: [UInt8], sequenceNumber: UInt8) throws {
        for sql in [
            "UPDATE card_counter SET atc = 0, has_begun_again = 1 WHERE pan_lookup = ? AND pan_sequence_number = ?",
            "UPDATE payment_order SET atc = NULL WHERE pan_lookup = ? AND pan_sequence_number = ? AND atc IS NOT NULL",
        ] {
            try database.cachedStatement(sql: sql).execute(arguments: [Data(panLookup), sequenceNumber])
        }
    }

    /// Whether a correct ARQC of the card with this counter has been received before, since the
    /// card began.
    func hasSeen(_ counter: StoredOrder.CardCounter, panLookup: [UInt8]) throws -> Bool {
        try Bool.fetchOne(
            database.cachedStatement(
                sql: "SELECT 1 FROM payment_order WHERE pan_lookup = ? AND pan_sequence_number = ? AND atc = ?"),
            arguments: [Data(panLookup), counter.panSequenceNumber, counter.atc]) != nil
    }

    /// Whether the host has booked the cryptogram, or was told of it, at any counter.
    ///
    /// - Parameter cryptogram: Tag `9F26`.
    func hasSeen(cryptogram: [UInt8], panLookup: [UInt8]) throws -> Bool {
        try Bool.fetchOne(
            database.cachedStatement(sql: "SELECT 1 FROM seen_cryptogram WHERE pan_lookup = ? AND cryptogram = ?"),
            arguments: [Data(panLookup), hash(cryptogram)]) != nil
    }

    /// Keeps a cryptogram for good, also a TC or an AAC.
    func keep(cryptogram: [UInt8]?, panLookup: [UInt8]?) throws {
        guard let cryptogram, let panLookup else { return }
        try database.cachedStatement(sql: "INSERT OR IGNORE INTO seen_cryptogram VALUES (?, ?)").execute(
            arguments: [Data(panLookup), hash(cryptogram)])
    }

    private func hash(_ cryptogram: [UInt8]) -> Data { Data(keys.lookupValue(of: SecretBytes(cryptogram))) }
}

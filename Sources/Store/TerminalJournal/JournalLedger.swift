import Bytes
import CardCryptography
import FoundationEssentials
import GRDB
import PaymentTerminal
import SealedStore

/// The ledger of a journal: the number of its last write, and a keyed sum over its entries.
///
/// Each entry contributes a code over its columns and its seal. The sum is the exclusive or of the
/// codes, so that a write only needs the codes of the row before and after. An attacker who deletes
/// a row, or replaces it by an older one, cannot correct the sum without the key.
struct JournalLedger: Equatable {
    /// The number of the last change of entries. Later changes have higher numbers, and some
    /// numbers are left out.
    var written: UInt64 = 0
    /// Whether a watermark file was kept.
    var hasWatermark = false
    /// Whether missing entries must still be fetched from the host's list. It survives restarts:
    /// entries that were already fetched count as written, and would hide the others.
    var isIncomplete = false
    /// The journal's own count of days.
    var day = JournalDay()
    private var open = [UInt8](repeating: 0, count: 32)
    private var finished = [UInt8](repeating: 0, count: 32)

    /// Adds or removes a row, which is the same operation.
    mutating func toggle(_ row: EntryRow, _ key: SecretBytes) {
        let code = row.code(key)
        if row.stage == JournalEntry.Stage.finished.rawValue {
            for (index, byte) in code.enumerated() { finished[index] ^= byte }
        } else {
            for (index, byte) in code.enumerated() { open[index] ^= byte }
        }
    }

    func hasSameOpenEntries(as other: JournalLedger) -> Bool { open == other.open }
    func hasSameEntries(as other: JournalLedger) -> Bool { open == other.open && finished == other.finished }
}

extension JournalLedger {
    private static let place = "ledger"

    private var bytes: SecretBytes {
        var bytes = (0..<8).reversed().map { UInt8(truncatingIfNeeded: written >> ($0 * 8)) }
        bytes.append((hasWatermark ? 1 : 0) | (isIncomplete ? 2 : 0))
        bytes += open
        bytes += finished
        for number in [day.number, day.date ?? .min] {
            bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        return SecretBytes(wiping: &bytes)
    }

    func sealed(_ keys: SealingKeys) -> Data { Data(keys.seal(bytes, for: Self.place)) }

    /// Nil in a journal without a write.
    static func fetch(_ database: Database, _ keys: SealingKeys) throws -> JournalLedger? {
        let statement = try database.cachedStatement(sql: "SELECT ledger FROM journal")
        guard let sealed = try Data?.fetchOne(statement) ?? nil else { return nil }
        let bytes = try keys.open(Array(sealed), for: place).revealed()
        guard bytes.count == 89 else { throw StoreError.damaged }
        var ledger = JournalLedger()
        ledger.written = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        ledger.hasWatermark = bytes[8] & 1 != 0
        ledger.isIncomplete = bytes[8] & 2 != 0
        ledger.open = Array(bytes[9..<41])
        ledger.finished = Array(bytes[41..<73])
        // ordered: eight bytes behind the start
        let numbers = [73, 81].map { start in bytes[start..<start + 8].reduce(Int64(0)) { $0 << 8 | Int64($1) } }
        ledger.day = JournalDay(number: numbers[0], date: numbers[1] == .min ? nil : numbers[1])
        return ledger
    }

    func save(_ database: Database, _ keys: SealingKeys) throws {
        let statement = try database.cachedStatement(sql: "UPDATE journal SET ledger = ?")
        try statement.execute(arguments: [sealed(keys)])
    }

    /// The ledger computed from the rows.
    static func sum(_ database: Database, _ key: SecretBytes, onlyOpen: Bool = false) throws -> JournalLedger {
        var ledger = JournalLedger()
        let rows = try EntryRow.cursor(database, onlyOpen ? "INDEXED BY entry_open WHERE stage <> 'finished'" : "")
        while let row = try rows.next() { ledger.toggle(row, key) }
        return ledger
    }
}

private import Bytes
private import FoundationEssentials
private import GRDB
package import PaymentTerminal
private import SealedStore

/// A terminal's journal that is only read, also while the terminal is at work: for those who watch
/// it, and for backups. It changes nothing, and it holds nobody up.
package final class JournalReader: Sendable {
    private let store: StoreReader
    /// Nil for a journal without a watermark.
    private let mark: @Sendable (_ digestKey: SecretBytes, _ name: [UInt8]) -> Mark?

    /// What the watermark says of the journal: the number of its last write, or that it is missing.
    private struct Mark {
        let written: UInt64?
    }

    /// Opens the journal in `folder`.
    ///
    /// - Parameters:
    ///   - key: The source of the journal's key.
    ///   - watermark: Where the terminal stores the number of the journal's last write; none for a
    ///     copy.
    /// - Throws: ``JournalError/Code/failed`` where there is no journal, or it is of another user,
    ///   of a later release or sealed with another key.
    package init(
        folder: String, key: some JournalKeySource, watermark: JournalWatermark = .besideKey
    ) async throws(JournalError) {
        do {
            store = try StoreReader(
                "journal", folder: folder, key: try await key.key(), migrator: JournalSchema.migrator)
        } catch {
            throw JournalError(error)
        }
        mark = { digestKey, name in
            let file: WatermarkFile
            switch watermark {
            case .besideKey:
                guard let path = key.watermarkPath(name.hex) else { return nil }
                file = WatermarkFile(path: path, journal: name.hex)
            case .file(let path): file = WatermarkFile(path: path)
            case .none: return nil
            }
            return Mark(written: Watermark(file, key: digestKey, name: name).read())
        }
    }

    // MARK: Entries

    /// The entries that can be read, in the order of their first writes.
    ///
    /// - Parameters:
    ///   - limit: At most so many, the latest; nil for all.
    ///   - isOpen: Only those that are not finished.
    ///   - body: Called with each.
    /// - Returns: How many others there are that cannot be read.
    package func forEach(
        latest limit: Int? = nil, isOpen: Bool = false, _ body: (JournalEntry) throws -> Void
    ) throws -> Int {
        try store.read { database, keys in
            var unreadable = try Int.fetchOne(database, sql: "SELECT count(*) FROM unreadable") ?? 0
            let open = isOpen ? "WHERE stage <> 'finished'" : ""
            let rows = try EntryRow.cursor(
                database, "\(open) ORDER BY number LIMIT -1 OFFSET max(0, (SELECT count(*) FROM entry \(open)) - ?)",
                [limit ?? .max])
            while let row = try rows.next() {
                if let entry = try? row.entry(keys) { try body(entry) } else { unreadable += 1 }
            }
            return unreadable
        }
    }

    /// The entry of the order; nil if it has none.
    ///
    /// - Throws: ``JournalError/Code/damaged`` if it cannot be read.
    package func entry(for orderID: OrderID) throws(JournalError) -> JournalEntry? {
        try read { database, keys in
            guard let row = try EntryRow.fetch(database, orderID: orderID.text) else {
                let isAside = try Bool.fetchOne(
                    database, sql: "SELECT 1 FROM unreadable WHERE order_id = ?", arguments: [orderID.text])
                guard isAside == nil else { throw JournalError.unreadable(orderID.text) }
                return nil
            }
            do {
                return try row.entry(keys)
            } catch {
                throw JournalError.unreadable(orderID.text)
            }
        }
    }

    // MARK: The journal as a whole

    /// Whether it is a copy that no terminal has opened.
    package func isCopy() throws -> Bool { try store.isCopy() }

    /// Reads every entry, and compares them with the journal's ledger and with its watermark.
    ///
    /// - Parameter progress: Called with the entries that were read, and with their number.
    package func check(progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }) throws(JournalError)
        -> JournalReport
    {
        // The mark is raised after its write: read first, it is never ahead of what is read then.
        let before = try read { database, keys in try Head(database, keys) }
        let mark = before.digestKey.flatMap { self.mark($0, before.name) }
        var report = JournalReport()
        do {
            try check(&report, mark, progress)
        } catch StoreError.unreadable {
            report.isFileDamaged = true
        } catch {
            throw JournalError(error)
        }
        return report
    }

    private func check(_ report: inout JournalReport, _ mark: Mark?, _ progress: (Int, Int) -> Void) throws {
        try store.read { database, keys in
            if let fault = try String.fetchOne(database, sql: "PRAGMA quick_check(1)"), fault != "ok" {
                report.isFileDamaged = true
            }
            let head = try Head(database, keys)
            let total = try Int.fetchOne(database, sql: "SELECT count(*) FROM entry") ?? 0
            var sum = JournalLedger()
            let rows = try EntryRow.cursor(database, "ORDER BY number")
            while let row = try rows.next() {
                if let key = head.digestKey { sum.toggle(row, key) }
                report.entries += 1
                do {
                    let entry = try row.entry(keys)
                    if entry.stage != .finished { report.open.append(entry) }
                } catch {
                    report.unreadable.append(row.orderID)
                }
                progress(report.entries, total)
            }
            report.unreadable += try String.fetchAll(database, sql: "SELECT order_id FROM unreadable ORDER BY order_id")
            let ledger = head.ledger ?? JournalLedger()
            if let mark, mark.written.map({ $0 > ledger.written }) ?? ledger.hasWatermark { report.gap = .restored }
            if ledger.isIncomplete { report.gap = .restored }
            if !sum.hasSameEntries(as: ledger) { report.gap = report.gap ?? .changed }
        }
    }

    /// Copies the journal as it is now into `folder`, which is created: all of it, or nothing. The
    /// copy has neither the key nor the watermark: with the key, a terminal that opens it knows
    /// that it is a copy, and asks the host for its list first.
    ///
    /// - Parameter progress: Called with the pages that are copied, and with their number. If it
    ///   throws, nothing is copied.
    /// - Throws: ``JournalError/Code/failed`` if the folder exists.
    package func backUp(
        to folder: String, progress: @escaping (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
    ) throws(JournalError) {
        do throws(StoreError) {
            try store.copy(to: folder, progress: progress)
        } catch {
            throw JournalError(error)
        }
    }

    private func read<Result>(_ body: (Database, SealingKeys) throws -> Result) throws(JournalError) -> Result {
        do {
            return try store.read(body)
        } catch {
            throw JournalError(error)
        }
    }

    /// The row of the journal itself.
    private struct Head {
        let name: [UInt8]
        /// Nil in a journal that no terminal has opened yet.
        let digestKey: SecretBytes?
        let ledger: JournalLedger?

        init(_ database: Database, _ keys: SealingKeys) throws {
            let row = try Row.fetchOne(database, sql: "SELECT digest_key, name FROM journal")
            name = (row?["name"] as Data?).map { Array($0) } ?? []
            digestKey = try (row?["digest_key"] as Data?).map {
                try keys.open(Array($0), for: SQLiteJournal.digestKeyPlace)
            }
            ledger = try JournalLedger.fetch(database, keys)
        }
    }
}

/// What a journal has, and what is wrong with it.
package struct JournalReport: Sendable {
    /// How many entries there are, those that cannot be read included.
    package fileprivate(set) var entries = 0
    /// The entries that are not finished, oldest first.
    package fileprivate(set) var open: [JournalEntry] = []
    /// The order ids of entries that cannot be read: look these orders up at the host.
    package fileprivate(set) var unreadable: [String] = []
    /// Why entries may be missing; nil if none is.
    package fileprivate(set) var gap: JournalCondition.Gap?
    /// Whether SQLite finds that the file itself is damaged.
    package fileprivate(set) var isFileDamaged = false

    /// Whether nothing is wrong; open orders are not wrong.
    package var isWhole: Bool { unreadable.isEmpty && gap == nil && !isFileDamaged }
}

extension JournalError {
    fileprivate static func unreadable(_ orderID: String) -> JournalError {
        JournalError(
            .damaged, "the journal's entry of order \(orderID) cannot be read: look up the order at the host")
    }
}

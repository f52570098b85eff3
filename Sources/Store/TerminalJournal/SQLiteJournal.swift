public import Bytes
private import CardCryptography
import FoundationEssentials
import GRDB
public import PaymentTerminal
package import SealedStore
private import Synchronization

/// A terminal's journal in an SQLite file, sealed with AES-256-GCM under the integrator's key.
///
/// Order ids, idempotency keys, stages and start times of orders are in clear; the seal of an entry
/// covers them, too. A lasting change is on the disk when its call returns
/// (`PRAGMA synchronous = FULL`). Only one process at a time can open the journal. An entry that
/// cannot be read is set aside and reported (``condition()``); the others remain usable.
public final class SQLiteJournal: TransactionJournal {
    private let store: SealedStore
    /// For digests of requests and for the ledger. It does not change with the journal's key.
    private let digestKey: SecretBytes
    private let watermark: Watermark?
    private let state: Mutex<State>

    private struct State {
        var nextSequenceCounter: UInt32
        var gap: JournalCondition.Gap?
        /// The number of the last write when the journal was opened.
        let written: UInt64
        /// The highest number that a write has taken. A copy of the file may have a write that
        /// failed, so its number is not taken again.
        var lastNumber: UInt64
    }

    /// How many numbers of writes each start leaves out. A copy of the file may have writes that a
    /// power cut took from the journal; the next ones must have other numbers.
    private static let numbersLeftOut: UInt64 = 1024

    /// - Parameters:
    ///   - files: The file system of the folder and its lock.
    ///   - watermarkStore: Returns the store of the watermark for the journal with this name; nil
    ///     for none.
    package static func open(
        folder: String, key: some JournalKeySource, nextSequenceCounter: UInt32 = 1, files: some StoreFiles,
        watermarkStore: ([UInt8]) -> (any WatermarkStore)?
    ) async throws(JournalError) -> SQLiteJournal {
        do {
            // Small, because a process may open many journals, and a write needs few pages.
            let store = try SealedStore(
                "journal", folder: folder, key: try await key.key(), migrator: JournalSchema.migrator, files: files,
                cache: 64)
            let found = try await store.write { try Found($0, $1, nextSequenceCounter: nextSequenceCounter) }
            let watermark = watermarkStore(found.name).map { Watermark($0, key: found.digestKey, name: found.name) }
            let mark = watermark?.read()
            var gap = found.gap
            if let watermark {
                // A missing mark may have been lost when the journal was restored; and a new
                // journal beside the mark of another takes the place of one whose folder was lost.
                if mark.map({ $0 > found.written }) ?? (found.hasWatermark || found.isNew && watermark.hasPredecessor) {
                    gap = .restored
                }
                if gap == nil { watermark.raise(to: found.written) }
            }
            let hasWatermark = found.hasWatermark || watermark?.read() != nil
            let isIncomplete = gap != nil
            let written = hasWatermark && !isIncomplete ? found.written + Self.numbersLeftOut : found.written
            if (hasWatermark, isIncomplete, written) != (found.hasWatermark, found.isIncomplete, found.written) {
                try await store.write { database, keys in
                    var ledger = try JournalLedger.fetch(database, keys) ?? JournalLedger()
                    ledger.hasWatermark = hasWatermark
                    ledger.isIncomplete = isIncomplete
                    ledger.written = written
                    try ledger.save(database, keys)
                    // Cryptograms in an older journal may have been recovered since then.
                    if isIncomplete { try database.execute(sql: "UPDATE journal SET torn = NULL") }
                }
            }
            if !isIncomplete {
                watermark?.raise(to: written)
                watermark?.flush()
            }
            return SQLiteJournal(
                store: store, digestKey: found.digestKey, watermark: watermark,
                state: State(
                    nextSequenceCounter: found.sequenceCounter, gap: gap, written: found.written, lastNumber: written))
        } catch {
            throw JournalError(error)
        }
    }

    private init(store: SealedStore, digestKey: SecretBytes, watermark: Watermark?, state: State) {
        self.store = store
        self.digestKey = digestKey
        self.watermark = watermark
        self.state = Mutex(state)
    }

    static let digestKeyPlace = "digest key"

    // MARK: Entries

    public func insert(_ entry: JournalEntry) async throws(JournalError) {
        try await change(.lasting) { [self] database, keys, ledger in
            let row = EntryRow(entry, ledger, keys)
            guard try find(entry.orderID, entry.key, database, isAside: true) == nil else {
                throw JournalError.orderExists
            }
            do {
                try row.insert(database)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                throw JournalError.orderExists
            }
            ledger.toggle(row, digestKey)
            try saveSequenceCounter(database)
        }
    }

    public func update(_ entry: JournalEntry, _ durability: JournalDurability) async throws(JournalError) {
        try await change(durability) { [self] database, keys, ledger in
            let row = EntryRow(entry, ledger, keys)
            if let old = try EntryRow.fetch(database, orderID: entry.orderID.text) {
                try row.update(database)
                ledger.toggle(old, digestKey)
            } else {
                guard try find(entry.orderID, entry.key, database, isAside: true) == nil else { return }
                try row.insert(database)
            }
            ledger.toggle(row, digestKey)
            // An order that is retried already has an entry.
            if durability == .lasting { try saveSequenceCounter(database) }
        }
    }

    private func saveSequenceCounter(_ database: Database) throws {
        let statement = try database.cachedStatement(sql: "UPDATE journal SET sequence_counter = ?")
        try statement.execute(arguments: [state.withLock { $0.nextSequenceCounter }])
    }

    /// Uses the writer's connection: a payment does not wait for a slow query.
    public func entry(for orderID: OrderID, or key: IdempotencyKey?) async throws(JournalError) -> JournalEntry? {
        let found: (row: EntryRow, entry: JournalEntry?)? = try await write(.eventual) { [self] database, keys in
            guard let row = try find(orderID, key, database, isAside: false) else {
                return try find(orderID, key, database, isAside: true).map { ($0, nil) }
            }
            return (row, try? row.entry(keys))
        }
        guard let found else { return nil }
        guard let entry = found.entry else {
            throw JournalError(
                .damaged,
                "the journal's entry of order \(found.row.orderID) cannot be read: look up the order at the host")
        }
        return entry
    }

    /// The row of the key, else that of the order.
    private func find(_ orderID: OrderID, _ key: IdempotencyKey?, _ database: Database, isAside: Bool) throws
        -> EntryRow?
    {
        let statement = try database.cachedStatement(
            sql: """
                SELECT \(EntryRow.columns) FROM \(isAside ? "unreadable" : "entry") WHERE idempotency_key = ?1 OR order_id = ?2
                ORDER BY idempotency_key IS ?1 DESC LIMIT 1
                """)
        return try Row.fetchOne(statement, arguments: [key?.text, orderID.text]).map { try EntryRow($0) }
    }

    public func openEntries() async throws(JournalError) -> [JournalEntry] {
        try await write(.lasting) { [digestKey] database, keys in
            var entries: [JournalEntry] = []
            var damaged: [EntryRow] = []
            let rows = try EntryRow.cursor(database, Self.openOnes)
            while let row = try rows.next() {
                do {
                    entries.append(try row.entry(keys))
                } catch {
                    damaged.append(row)
                }
            }
            if !damaged.isEmpty, var ledger = try JournalLedger.fetch(database, keys) {
                for row in damaged {
                    ledger.toggle(row, digestKey)
                    try row.setAside(database)
                }
                try ledger.save(database, keys)
            }
            return entries
        }
    }

    static let openOnes = "INDEXED BY entry_open WHERE stage <> 'finished' ORDER BY number"

    public func latest(_ limit: Int) async throws(JournalError) -> [JournalEntry] {
        try await read { database, keys in
            var entries: [JournalEntry] = []
            let rows = try EntryRow.cursor(database, "ORDER BY number DESC")
            while entries.count < limit, let row = try rows.next() {
                if let entry = try? row.entry(keys) { entries.append(entry) }
            }
            return entries
        }
    }

    public func count(date: Int64) async throws(JournalError) {
        try await change(.lasting) { _, _, ledger in ledger.day.count(date) }
    }

    public func purge(keepingDays days: Int, limit: Int) async throws(JournalError) -> Int {
        try await change(.eventual) { [digestKey] database, _, ledger in
            guard let last = ledger.day.last(before: days) else { return 0 }
            let rows = try EntryRow.cursor(
                database, "WHERE stage = 'finished' AND day <= ? ORDER BY day LIMIT ?", [last, limit])
            var orders: [String] = []
            while let row = try rows.next() {
                ledger.toggle(row, digestKey)
                orders.append(row.orderID)
            }
            let statement = try database.cachedStatement(sql: "DELETE FROM entry WHERE order_id = ?")
            for order in orders { try statement.execute(arguments: [order]) }
            return orders.count
        }
    }

    public func takeSequenceCounter() async throws(JournalError) -> UInt32 {
        state.withLock { state in
            defer { state.nextSequenceCounter = Self.counter(after: state.nextSequenceCounter, by: 1) }
            return state.nextSequenceCounter
        }
    }

    private static func counter(after counter: UInt32, by step: UInt32) -> UInt32 {
        let next = UInt64(counter) + UInt64(step)
        return next > 99_999_999 ? 1 : UInt32(truncatingIfNeeded: next)
    }

    public func digest(of request: SecretBytes) -> [UInt8] {
        var bytes = request.revealed()
        defer { wipe(&bytes) }
        return HMACSHA256.authenticate(bytes, key: digestKey)
    }

    // MARK: The journal as a whole

    public func condition() async throws(JournalError) -> JournalCondition {
        let unreadable = try await read { database, _ in
            try String.fetchAll(database, sql: "SELECT order_id FROM unreadable ORDER BY order_id")
        }
        return JournalCondition(unreadable: unreadable.compactMap { try? OrderID($0) }, gap: state.withLock { $0.gap })
    }

    public func closeGap() async throws(JournalError) {
        let mark = watermark?.read() ?? 0
        let counter = state.withLock { state in
            // The mark says how many writes followed the copy at most, each with at most one
            // counter. Without a mark this is unknown, and chance keeps two restores apart.
            if state.gap == .restored {
                let missing = mark > state.written ? UInt32(clamping: mark - state.written) : .random(in: 0..<1_000_000)
                state.nextSequenceCounter = Self.counter(after: state.nextSequenceCounter, by: 100_000)
                state.nextSequenceCounter = Self.counter(after: state.nextSequenceCounter, by: missing)
            }
            // As at a start.
            state.lastNumber = max(state.lastNumber, mark) + Self.numbersLeftOut
            return state.nextSequenceCounter
        }
        let written = try await change(.lasting) { [digestKey] database, keys, ledger in
            var actual = try JournalLedger.sum(database, digestKey)
            actual.written = ledger.written
            actual.hasWatermark = ledger.hasWatermark
            actual.day = ledger.day
            ledger = actual
            try database.execute(sql: "UPDATE journal SET sequence_counter = ?", arguments: [counter])
            return ledger.written
        }
        // Before a counter after the gap reaches a host.
        watermark?.raise(to: written)
        watermark?.flush()
        state.withLock { $0.gap = nil }
    }

    /// Recomputes the ledger from all entries, concurrently with payments, and records a gap if an
    /// entry was deleted or replaced outside the terminal.
    public func verify() async throws(JournalError) {
        let isWhole = try await read { [digestKey] database, keys in
            let ledger = try JournalLedger.fetch(database, keys)
            return try JournalLedger.sum(database, digestKey).hasSameEntries(as: ledger ?? JournalLedger())
        }
        if !isWhole { state.withLock { $0.gap = $0.gap ?? .changed } }
    }

    /// Seals everything with a new key, in one transaction: from then on only the new key opens the
    /// journal. Payments wait for it meanwhile. Entries that cannot be opened remain unchanged.
    ///
    /// - Returns: Whether the database's log was cleared of data sealed with the old key. This is
    ///   not possible while another program reads the file: end that program and open the journal
    ///   again.
    @discardableResult
    public func rotate(to key: some JournalKeySource) async throws(JournalError) -> Bool {
        do {
            let isChanged = Mutex(false)
            let isLogClear = try await store.rotate(to: try await key.key()) { [digestKey] database, old, new in
                var (before, sum) = (JournalLedger(), JournalLedger())
                var last = Int64.min
                while true {
                    // Read in slices, to limit memory.
                    let slice = try Row.fetchAll(
                        database,
                        sql: "SELECT \(EntryRow.columns), number FROM entry WHERE number > ? ORDER BY number LIMIT 200",
                        arguments: [last])
                    for row in slice {
                        var entry = try EntryRow(row)
                        last = row["number"]
                        before.toggle(entry, digestKey)
                        if (try? entry.reseal(old, new)) != nil {
                            try database.execute(
                                sql: "UPDATE entry SET content = ? WHERE number = ?", arguments: [entry.content, last])
                        }
                        sum.toggle(entry, digestKey)
                    }
                    if slice.isEmpty { break }
                }
                let ledger = try JournalLedger.fetch(database, old) ?? before
                sum.written = ledger.written
                sum.hasWatermark = ledger.hasWatermark
                // What was changed from outside would not show in the new sum.
                let isWhole = before.hasSameEntries(as: ledger)
                sum.isIncomplete = ledger.isIncomplete || !isWhole
                sum.day = ledger.day
                try sum.save(database, new)
                isChanged.withLock { $0 = !isWhole }
                try database.execute(
                    sql: "UPDATE journal SET digest_key = ?",
                    arguments: [Data(new.seal(digestKey, for: Self.digestKeyPlace))])
                try Self.resealTornTransactions(database, old, new)
            }
            if isChanged.withLock({ $0 }) { state.withLock { $0.gap = $0.gap ?? .changed } }
            return isLogClear
        } catch {
            throw JournalError(error)
        }
    }

    /// Closes the file at once, not only when the last reference is released: for a process that
    /// opens it again. Later calls fail.
    public func close() throws(JournalError) {
        do throws(StoreError) {
            try store.close()
        } catch {
            throw JournalError(error)
        }
    }

    // MARK: The store

    /// Changes entries, and the ledger with them.
    private func change<Result: Sendable>(
        _ durability: JournalDurability,
        _ body: @escaping @Sendable (Database, SealingKeys, inout JournalLedger) throws -> Result
    ) async throws(JournalError) -> Result {
        let (result, written) = try await write(durability) { [self] database, keys in
            var ledger = try JournalLedger.fetch(database, keys) ?? JournalLedger()
            ledger.written = state.withLock { state in
                state.lastNumber = max(state.lastNumber, ledger.written) + 1
                return state.lastNumber
            }
            let result = try body(database, keys, &ledger)
            try ledger.save(database, keys)
            return (result, ledger.written)
        }
        // During a gap the mark stays as it was found: it says what the journal does not have.
        if durability == .lasting, state.withLock({ $0.gap == nil }) { watermark?.raise(to: written) }
        return result
    }

    func write<Result: Sendable>(
        _ durability: JournalDurability, _ body: @escaping @Sendable (Database, SealingKeys) throws -> Result
    ) async throws(JournalError) -> Result {
        do {
            return try await store.write(durability == .lasting ? .flushed : .eventual, body)
        } catch {
            throw JournalError(error)
        }
    }

    private func read<Result: Sendable>(
        _ body: @escaping @Sendable (Database, SealingKeys) throws -> Result
    ) async throws(JournalError) -> Result {
        do {
            return try await store.read(body)
        } catch {
            throw JournalError(error)
        }
    }
}

extension SQLiteJournal {
    /// The state of a journal when it is opened.
    private struct Found {
        let name: [UInt8]
        /// Whether the journal has never been open: the first start writes its ledger with the
        /// number of its first writes, and may have failed before.
        let isNew: Bool
        let digestKey: SecretBytes
        let sequenceCounter: UInt32
        let written: UInt64
        let hasWatermark: Bool
        let isIncomplete: Bool
        let gap: JournalCondition.Gap?

        init(_ database: Database, _ keys: SealingKeys, nextSequenceCounter: UInt32) throws {
            guard let row = try Row.fetchOne(database, sql: "SELECT digest_key, sequence_counter, name FROM journal")
            else {
                throw StoreError.damaged
            }
            if let sealed = row["digest_key"] as Data? {
                digestKey = try keys.open(Array(sealed), for: SQLiteJournal.digestKeyPlace)
                sequenceCounter = UInt32(clamping: row["sequence_counter"] as Int64)
            } else {
                digestKey = SecretBytes(SecureRandom.bytes(32))
                sequenceCounter = nextSequenceCounter
                try database.execute(
                    sql: "UPDATE journal SET digest_key = ?, sequence_counter = ?",
                    arguments: [Data(keys.seal(digestKey, for: SQLiteJournal.digestKeyPlace)), nextSequenceCounter])
            }
            if let name = row["name"] as Data? {
                self.name = Array(name)
            } else {
                name = SecureRandom.bytes(8)
                try database.execute(sql: "UPDATE journal SET name = ?", arguments: [Data(name)])
            }
            if let ledger = try JournalLedger.fetch(database, keys) {
                isNew = ledger.written == 0
                written = ledger.written
                hasWatermark = ledger.hasWatermark
                isIncomplete = ledger.isIncomplete
                let isWhole = try JournalLedger.sum(database, digestKey, onlyOpen: true).hasSameOpenEntries(as: ledger)
                gap = !isWhole ? .changed : isIncomplete ? .restored : nil
            } else {
                (isNew, written, hasWatermark, isIncomplete, gap) = (true, 0, false, false, nil)
                try JournalLedger.sum(database, digestKey).save(database, keys)
            }
        }
    }
}

extension JournalError {
    init(_ error: any Error) {
        switch error {
        case let error as JournalError: self = error
        case let error as StoreError where error.isFull: self.init(.full, error.description)
        case StoreError.damaged: self.init(.damaged, StoreError.damaged.description)
        case let error as StoreError: self.init(.failed, error.description)
        case let error as JournalKeyError: self.init(.failed, error.description)
        default: self.init(.failed, "the journal's key is not available: \(error)")
        }
    }
}

import Bytes
import CardCapture
import Foundation
import PaymentTerminal
import Synchronization
import TLV
import Testing

@testable import TerminalJournal

/// What a payment costs the journal: a shopper waits for it.
@Suite struct JournalCostTests {
    /// The journal that ships, with a count of what it is asked.
    private final class CountedJournal: TransactionJournal {
        struct Counts: Equatable {
            var lasting = 0
            var eventual = 0
            var lookUps = 0
        }

        let journal: SQLiteJournal
        private let counts = Mutex(Counts())
        var seen: Counts { counts.withLock { $0 } }

        init(_ journal: SQLiteJournal) { self.journal = journal }

        func insert(_ entry: JournalEntry) async throws(JournalError) {
            counts.withLock { $0.lasting += 1 }
            try await journal.insert(entry)
        }
        func update(_ entry: JournalEntry, _ durability: JournalDurability) async throws(JournalError) {
            counts.withLock { if durability == .lasting { $0.lasting += 1 } else { $0.eventual += 1 } }
            try await journal.update(entry, durability)
        }
        func entry(for orderID: OrderID, or key: IdempotencyKey?) async throws(JournalError) -> JournalEntry? {
            counts.withLock { $0.lookUps += 1 }
            return try await journal.entry(for: orderID, or: key)
        }
        func openEntries() async throws(JournalError) -> [JournalEntry] { try await journal.openEntries() }
        func latest(_ limit: Int) async throws(JournalError) -> [JournalEntry] { try await journal.latest(limit) }
        func count(date: Int64) async throws(JournalError) { try await journal.count(date: date) }
        func purge(keepingDays days: Int, limit: Int) async throws(JournalError) -> Int {
            try await journal.purge(keepingDays: days, limit: limit)
        }
        func takeSequenceCounter() async throws(JournalError) -> UInt32 { try await journal.takeSequenceCounter() }
        func digest(of request: SecretBytes) -> [UInt8] { journal.digest(of: request) }
        func condition() async throws(JournalError) -> JournalCondition { try await journal.condition() }
        func closeGap() async throws(JournalError) { try await journal.closeGap() }
    }

    /// A chip that takes the host's approval.
    private struct ChipSale: CardReader {
        let name = "Chip reader"
        let capabilities: ReaderCapabilities = .contactChip
        let events = ReaderEvents()

        private var card: CapturedCard {
            var elements = DataElements()
            elements[.dfName] = [0xA0, 0, 0, 0, 0x03, 0x10, 0x10]
            elements[.applicationLabel] = Array("VISA CREDIT".utf8)
            elements[.terminalVerificationResults] = [0x80, 0, 0x04, 0x80, 0]
            elements[.transactionStatusInformation] = [0x68, 0]
            elements[.applicationCryptogram] = [1, 2, 3, 4, 5, 6, 7, 8]
            elements[.cryptogramInformationData] = [0x40]
            elements[.issuerApplicationData] = [UInt8](repeating: 6, count: 32)
            elements[.authorisationResponseCode] = Array("00".utf8)
            elements[.cvmResults] = [0x1E, 0x03, 0x00]
            return CapturedCard(
                entryMode: .chip, pan: SecretBytes("4761739001010010".utf8), expiry: "3112", panSequenceNumber: 1,
                cardholderName: "CARDHOLDER/VISA", chip: ChipData(elements: elements))
        }

        func capture(
            _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
        ) async throws(CaptureError) -> CaptureOutcome {
            guard case .answered = await authorize(card) else {
                return CaptureOutcome(decision: .declinedOffline, card: card)
            }
            return CaptureOutcome(decision: .approvedOnline, card: card)
        }
    }

    private func chipSale(_ id: String) throws -> Sale {
        var sale = try JournalBench.sale(id)
        sale.source = .reader
        return sale
    }

    @Test("A chip sale makes three lasting writes and one look-up; its end waits for no disk") func chipSale()
        async throws
    {
        let bench = JournalBench()
        let journal = CountedJournal(try await bench.open())
        let terminal = try await JournalBench.terminal(BenchLine(), journal, reader: ChipSale())
        #expect(try await terminal.processSale(chipSale("o1")).outcome == .approved)
        #expect(journal.seen == CountedJournal.Counts(lasting: 3, eventual: 0, lookUps: 1))
        try await terminal.recoverPending()
        #expect(journal.seen == CountedJournal.Counts(lasting: 3, eventual: 1, lookUps: 1))
    }

    @Test("A keyed sale makes two lasting writes") func keyedSale() async throws {
        let bench = JournalBench()
        let journal = CountedJournal(try await bench.open())
        _ = try await JournalBench.terminal(BenchLine(), journal).processSale(JournalBench.sale("o1"))
        #expect(journal.seen == CountedJournal.Counts(lasting: 2, eventual: 0, lookUps: 1))
    }

    @Test("The open entries are found by their index, in the order in which they began") func queryPlan() async throws {
        let bench = JournalBench()
        try await bench.sell(["o1"])
        let plan = try bench.query("EXPLAIN QUERY PLAN SELECT \(EntryRow.columns) FROM entry \(SQLiteJournal.openOnes)")
        #expect(plan.contains("USING INDEX entry_open"), "\(plan)")
        #expect(!plan.contains("TEMP B-TREE"), "\(plan)")
        let lookUp = try bench.query(
            "EXPLAIN QUERY PLAN SELECT order_id FROM entry WHERE idempotency_key = 'a' OR order_id = 'b' ORDER BY idempotency_key IS 'a' DESC LIMIT 1"
        )
        #expect(!lookUp.contains("SCAN entry"), "\(lookUp)")
        let purge = try bench.query(
            """
            EXPLAIN QUERY PLAN SELECT order_id FROM entry WHERE stage = 'finished' AND day <= 1 ORDER BY day LIMIT 1
            """)
        #expect(purge.contains("USING INDEX entry_day"), "\(purge)")
        #expect(!purge.contains("TEMP B-TREE"), "\(purge)")
    }

    @Test("An entry takes less than half a page of the file, its indexes included") func size() async throws {
        let bench = JournalBench()
        let journal = try await bench.open()
        let terminal = try await JournalBench.terminal(BenchLine(), journal, reader: ChipSale())
        for number in 0..<300 { _ = try await terminal.processSale(chipSale("o\(number)")) }
        try await terminal.recoverPending()
        try journal.close()
        let bytes =
            try FileManager.default.attributesOfItem(atPath: "\(bench.folder)/journal.sqlite")[.size] as? Int ?? 0
        #expect(bytes / 300 < 2048, "\(bytes / 300) bytes")
    }

    @Test("What is older than the configuration keeps goes by itself, slice by slice; what is open stays")
    func purging() async throws {
        let bench = JournalBench()
        try await bench.sell((0..<450).map { "o\($0)" })
        let line = BenchLine()
        line.isCut = true
        try await bench.sell(["stored"], host: line)
        let journal = try await bench.open()
        #expect(try await journal.purge(keepingDays: 0, limit: 100) == 0)
        let noon = JournalBench.noon.secondsSince1970
        for day in 0..<30 { try await journal.count(date: noon / 86_400 + Int64(day)) }
        #expect(try await journal.purge(keepingDays: 29, limit: 100) == 0)
        #expect(try await journal.purge(keepingDays: 28, limit: 100) == 100)
        #expect(try await journal.latest(1000).count == 351)
        // A terminal one day later, which keeps thirty days.
        var configuration = Terminal.Configuration(merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro)
        configuration.journalRetention = 30
        configuration.limits.retry = .milliseconds(1)
        let terminal = Terminal(configuration: configuration, host: line, journal: journal) {
            Timestamp(secondsSince1970: noon + 31 * 86_400)
        }
        try await journal.count(date: noon / 86_400 + 30)
        _ = try await terminal.recoverPending()
        while try await journal.latest(1000).count > 1 { await Task.yield() }
        #expect(try await journal.latest(10).map(\.orderID.text) == ["stored"])
        try await journal.verify()
        #expect(try await journal.condition().gap == nil)
    }
}

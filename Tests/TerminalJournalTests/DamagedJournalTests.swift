import Foundation
import PaymentTerminal
import Testing

@testable import TerminalJournal

@Suite struct DamagedJournalTests {
    /// A journal with two stored payments and a finished one.
    private func bench() async throws -> JournalBench {
        let bench = JournalBench()
        try await bench.sell(["finished"])
        let line = BenchLine()
        line.isCut = true
        try await bench.sell(["stored-1", "stored-2"], host: line)
        return bench
    }

    @Test("A damaged open entry is set aside and named; the others go on, and its order id stays taken")
    func openEntry() async throws {
        let bench = try await bench()
        try bench.tamper("UPDATE entry SET content = zeroblob(60) WHERE order_id = 'stored-1'")
        let journal = try await bench.open()
        let line = BenchLine()
        let terminal = try await JournalBench.terminal(line, journal)
        #expect(try await terminal.recoverPending().map(\.orderID.text) == ["stored-2"])
        #expect(try await terminal.journalCondition().unreadable.map(\.text) == ["stored-1"])
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.processSale(JournalBench.sale("stored-1"))
        }
        #expect(error?.code == .journalFailed)
        #expect(error?.message.contains("stored-1") == true)
        #expect(try await terminal.processSale(JournalBench.sale("new")).outcome == .approved)
        #expect(line.authorizations == 2)
        try journal.close()
        #expect(try await bench.open().condition().unreadable.map(\.text) == ["stored-1"], "after a restart, too")
    }

    @Test("An entry that cannot be read does not stop the reading of the host's list") func damagedAndListed()
        async throws
    {
        let line = BenchLine()
        try await JournalBench().sell(["stored-1"], host: line)
        let bench = try await bench()
        try bench.tamper("UPDATE entry SET content = zeroblob(60) WHERE order_id = 'stored-1'")
        let journal = try await bench.open()
        #expect(try await journal.condition().gap == .changed)
        let terminal = try await JournalBench.terminal(line, journal)
        #expect(try await terminal.processSale(JournalBench.sale("new")).outcome == .approved)
        #expect(try await terminal.journalCondition() == JournalCondition(unreadable: [OrderID("stored-1")]))
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.processSale(JournalBench.sale("stored-1"))
        }
        #expect(error?.code == .journalFailed, "its order id stays taken")
    }

    @Test("A damaged finished entry fails for its own order only") func finishedEntry() async throws {
        let bench = try await bench()
        try bench.tamper("UPDATE entry SET content = zeroblob(60) WHERE order_id = 'finished'")
        let terminal = try await JournalBench.terminal(BenchLine(), bench.open())
        #expect(try await terminal.recoverPending().count == 2)
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.processSale(JournalBench.sale("finished"))
        }
        #expect(error?.code == .journalFailed)
        #expect(try await terminal.journaled().map(\.orderID.text) == ["stored-2", "stored-1"])
    }

    @Test(
        "What stands in clear is sealed with the entry: a changed stage, key, order id or time is noticed",
        arguments: [
            "UPDATE entry SET stage = 'finished' WHERE order_id = 'stored-1'",
            "UPDATE entry SET idempotency_key = 'other' WHERE order_id = 'stored-1'",
            "UPDATE entry SET order_id = 'other' WHERE order_id = 'stored-1'",
            "UPDATE entry SET seconds_since_1970 = 1 WHERE order_id = 'stored-1'",
            "UPDATE entry SET written = written + 1 WHERE order_id = 'stored-1'",
        ]) func clearColumns(_ sql: String) async throws
    {
        let bench = try await bench()
        try bench.tamper(sql)
        let journal = try await bench.open()
        #expect(try await journal.openEntries().map(\.orderID.text) == ["stored-2"])
        #expect(try await journal.condition().gap == .changed)
    }

    @Test("A deleted open entry is noticed at the start, and the host's list is asked before a payment")
    func deletedOpenEntry()
        async throws
    {
        let bench = try await bench()
        try bench.tamper("DELETE FROM entry WHERE order_id = 'stored-1'")
        let journal = try await bench.open()
        #expect(try await journal.condition().gap == .changed)
        let line = BenchLine()
        let terminal = try await JournalBench.terminal(line, journal)
        line.isCut = true
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.processSale(JournalBench.sale("new"))
        }
        #expect(error?.code == .hostFailed(.unreachable), "not before the host's list is read")
        line.isCut = false
        #expect(try await terminal.processSale(JournalBench.sale("new")).outcome == .approved)
        #expect(line.queries.filter { $0.orderID == nil }.count == 1)
        #expect(try await journal.condition().gap == nil)
    }

    @Test("A finished entry that was deleted, or replaced by an older one, is noticed when the journal is added up")
    func deletedFinishedEntry() async throws {
        for sql in [
            "DELETE FROM entry WHERE order_id = 'finished'",
            "UPDATE entry SET content = (SELECT content FROM entry LIMIT 1)",
        ] {
            let bench = try await bench()
            let journal = try await bench.open()
            try await journal.verify()
            #expect(try await journal.condition().gap == nil)
            try journal.close()
            try bench.tamper(sql)
            let changed = try await bench.open()
            try await changed.verify()
            #expect(try await changed.condition().gap == .changed)
        }
    }

    @Test("An entry that was deleted is taken from the host's list once the journal has been added up")
    func deletedAndListed() async throws {
        let bench = JournalBench()
        let line = BenchLine()
        try await bench.sell(["o1", "o2"], host: line)
        try bench.tamper("DELETE FROM entry WHERE order_id = 'o1'")
        let journal = try await bench.open()
        let terminal = try await JournalBench.terminal(line, journal) { $0.limits.retry = .milliseconds(1) }
        _ = try await terminal.recoverPending()
        while try await journal.entry(for: OrderID("o1")) == nil { await Task.yield() }
        while try await journal.condition().gap != nil { await Task.yield() }
        #expect(try await terminal.processSale(JournalBench.sale("o1")).outcome == .approved)
        #expect(line.authorizations == 2, "the host was not asked for o1 a second time")
    }

    @Test("An older version of one row, put back with its seal, is noticed") func olderRow() async throws {
        let bench = JournalBench()
        let line = BenchLine()
        line.isCut = true
        try await bench.sell(["stored"], host: line)
        let copy = "\(bench.folder)/copy.sqlite"
        try FileManager.default.copyItem(atPath: "\(bench.folder)/journal.sqlite", toPath: copy)
        let journal = try await bench.open()
        let terminal = try await JournalBench.terminal(BenchLine(), journal)
        #expect(try await terminal.recoverPending().map(\.outcome) == [.approved])
        try journal.close()
        // The stored payment comes back to life, to be charged a second time.
        try bench.tamper(
            "ATTACH '\(copy)' AS old; DELETE FROM entry; INSERT INTO entry SELECT * FROM old.entry")
        #expect(try await bench.open().condition().gap == .changed)
    }

    @Test("A journal of a later release is refused by name") func laterRelease() async throws {
        let bench = JournalBench()
        try await bench.sell(["o1"])
        try bench.tamper("INSERT INTO grdb_migrations (identifier) VALUES ('99')")
        let error = await #expect(throws: JournalError.self) { _ = try await bench.open() }
        #expect(error?.message == "journal \(bench.folder) was made by a later release: install that release")
    }
}

import Foundation
import PaymentTerminal
import Testing

@testable import TerminalJournal

/// Those who look at a journal beside its terminal.
@Suite struct JournalReaderTests {
    private func reader(_ folder: String, _ key: JournalKey = JournalBench.key, watermark: JournalWatermark = .none)
        async throws(JournalError) -> JournalReader
    {
        try await JournalReader(folder: folder, key: key, watermark: watermark)
    }

    private func orders(_ reader: JournalReader, latest: Int? = nil, isOpen: Bool = false) throws -> [String] {
        var orders: [String] = []
        _ = try reader.forEach(latest: latest, isOpen: isOpen) { orders.append($0.orderID.text) }
        return orders
    }

    @Test("It reads what an open journal has, and the journal goes on") func besideTerminal() async throws {
        let bench = JournalBench()
        let journal = try await bench.open()
        let line = BenchLine()
        let terminal = try await JournalBench.terminal(line, journal)
        _ = try await terminal.processSale(JournalBench.sale("first"))
        let reader = try await reader(bench.folder)
        #expect(try orders(reader) == ["first"])
        line.isCut = true
        _ = try await terminal.processSale(JournalBench.sale("stored"))
        #expect(try orders(reader) == ["first", "stored"])
        #expect(try orders(reader, latest: 1) == ["stored"])
        #expect(try orders(reader, isOpen: true) == ["stored"])
        #expect(try reader.entry(for: OrderID("first"))?.response?.outcome == .approved)
        #expect(try reader.entry(for: OrderID("none")) == nil)
        let report = try reader.check()
        #expect(report.isWhole)
        #expect(report.entries == 2)
        #expect(report.open.map(\.orderID.text) == ["stored"])
        line.isCut = false
        #expect(try await terminal.recoverPending().map(\.outcome) == [.approved])
        #expect(try reader.check().open.isEmpty)
    }

    @Test("Copies that are made while payments are written are whole, each with all from before it began")
    func backUp() async throws {
        let bench = JournalBench()
        let copies = FileManager.default.temporaryDirectory.appending(path: "copies-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: copies) }
        let journal = try await bench.open()
        let terminal = try await JournalBench.terminal(BenchLine(), journal)
        let reader = try await reader(bench.folder)
        var counts: [Int] = []
        try await withThrowingTaskGroup { group in
            group.addTask {
                for number in 0..<300 { _ = try await terminal.processSale(JournalBench.sale("o\(number)")) }
            }
            for number in 0..<10 {
                let before = try orders(reader).count
                let folder = copies.appending(path: "\(number)").path(percentEncoded: false)
                try reader.backUp(to: folder)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["journal.sqlite"])
                let copy = try await self.reader(folder)
                let report = try copy.check()
                #expect(report.isWhole)
                #expect(report.entries >= before)
                #expect(try orders(copy) == (0..<report.entries).map { "o\($0)" })
                counts.append(report.entries)
                await Task.yield()
            }
            try await group.waitForAll()
        }
        #expect(counts == counts.sorted())
        #expect(try orders(reader).count == 300)
        let restored = JournalBench()
        try FileManager.default.copyItem(
            atPath: copies.appending(path: "9").path(percentEncoded: false), toPath: restored.folder)
        #expect(try await restored.open().latest(1000).count == counts[9], "a terminal opens it")
    }

    @Test("A copy that is broken off leaves nothing, and one does not replace a journal") func brokenOff() async throws
    {
        let bench = JournalBench()
        try await bench.sell(["first"])
        // More than one step of the copy.
        try bench.tamper("CREATE TABLE large AS SELECT zeroblob(2000000)")
        let reader = try await reader(bench.folder)
        let folder = "\(bench.folder).copy"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(throws: JournalError.self) { try reader.backUp(to: folder) { _, _ in throw CancellationError() } }
        #expect(!FileManager.default.fileExists(atPath: folder))
        try reader.backUp(to: folder)
        let error = #expect(throws: JournalError.self) { try reader.backUp(to: folder) }
        #expect(error?.message.contains("exists") == true)
        #expect(try orders(try await self.reader(folder)) == ["first"])
    }

    @Test("What was changed from outside is said, and nothing is changed") func faults() async throws {
        let bench = JournalBench()
        let mark = JournalWatermark.file(path: "\(bench.folder).mark")
        defer { try? FileManager.default.removeItem(atPath: "\(bench.folder).mark") }
        try await bench.sell(["first", "second"], watermark: mark)
        let copy = "\(bench.folder).copy"
        defer { try? FileManager.default.removeItem(atPath: copy) }
        try await reader(bench.folder, watermark: mark).backUp(to: copy)
        try await bench.sell(["third"], watermark: mark)
        #expect(try await reader(bench.folder, watermark: mark).check().gap == nil)
        #expect(try await reader(copy, watermark: mark).check().gap == .restored)
        #expect(try await reader(copy).check().gap == nil, "as a copy it is whole")
        try bench.tamper("UPDATE entry SET content = zeroblob(60) WHERE order_id = 'first'")
        let damaged = try await reader(bench.folder, watermark: mark)
        #expect(try damaged.check().unreadable == ["first"])
        #expect(try damaged.check().gap == .changed)
        #expect(try orders(damaged) == ["second", "third"])
        #expect(try damaged.forEach { _ in } == 1, "one cannot be read")
        let error = #expect(throws: JournalError.self) { try damaged.entry(for: OrderID("first")) }
        #expect(error?.code == .damaged)
        try bench.tamper("DELETE FROM entry WHERE order_id = 'first'")
        #expect(try damaged.check().unreadable == [])
        #expect(try damaged.check().gap == .changed)
    }

    @Test("A journal that it must not read is refused by its reason") func refused() async throws {
        let bench = JournalBench()
        func refusal(_ key: JournalKey = JournalBench.key) async -> String? {
            await #expect(throws: JournalError.self) { _ = try await reader(bench.folder, key) }?.message
        }
        #expect(await refusal()?.contains("does not exist") == true)
        #expect(!FileManager.default.fileExists(atPath: bench.folder), "nothing is made")
        try await bench.sell(["first"])
        #expect(await refusal(JournalBench.nextKey)?.contains("made with another key") == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: bench.folder)
        #expect(await refusal()?.contains("chmod") == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: bench.folder)
        try bench.tamper("INSERT INTO grdb_migrations VALUES ('999')")
        #expect(await refusal()?.contains("made by a later release") == true)
        let link = "\(bench.folder).link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: bench.folder)
        defer { try? FileManager.default.removeItem(atPath: link) }
        let error = await #expect(throws: JournalError.self) { _ = try await reader(link) }
        #expect(error?.message.contains("is a link") == true)
    }
}

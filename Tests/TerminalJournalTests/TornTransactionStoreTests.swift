import Bytes
import Foundation
import PaymentTerminal
import Testing

@testable import TerminalJournal

@Suite("A journal keeps torn transactions sealed") struct TornTransactionStoreTests {
    private let records = SecretBytes("torn 5413330089600119 torn".utf8)

    /// A journal with records, closed.
    private func bench(watermark: JournalWatermark = .none) async throws -> JournalBench {
        let bench = JournalBench()
        let journal = try await bench.open(watermark: watermark)
        #expect(try await journal.tornTransactions() == SecretBytes([]))
        try await journal.keepTornTransactions(records)
        try journal.close()
        return bench
    }

    @Test("Another process reads what was kept, until it is replaced") func restarted() async throws {
        let bench = try await bench()
        let journal = try await bench.open()
        #expect(try await journal.tornTransactions() == records)
        try await journal.keepTornTransactions(SecretBytes([]))
        try journal.close()
        #expect(try await bench.open().tornTransactions() == SecretBytes([]))
    }

    @Test("No file of the journal has them in clear") func sealed() async throws {
        let bench = try await bench()
        let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder)
        #expect(names.contains("journal.sqlite"))
        for name in names {
            let content = FileManager.default.contents(atPath: "\(bench.folder)/\(name)") ?? Data()
            #expect(content.range(of: Data(records.revealed())) == nil)
        }
    }

    @Test("What was changed outside the terminal counts as nothing, and the journal goes on") func changed()
        async throws
    {
        let bench = try await bench()
        try bench.tamper("UPDATE journal SET torn = zeroblob(100)")
        let journal = try await bench.open()
        #expect(try await journal.tornTransactions() == SecretBytes([]))
        #expect(try await journal.condition() == JournalCondition())
        try await journal.keepTornTransactions(records)
        #expect(try await journal.tornTransactions() == records)
    }

    @Test("They are sealed again when the key changes") func rotated() async throws {
        let bench = try await bench()
        let journal = try await bench.open()
        try await journal.rotate(to: JournalBench.nextKey)
        try journal.close()
        #expect(try await bench.open(JournalBench.nextKey).tornTransactions() == records)
    }

    @Test("A journal that was restored from a backup drops them: their cards may have been asked since") func restored()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.path(percentEncoded: false)
        let path = "\(folder)/torn-\(UUID().uuidString).mark"
        let mark = JournalWatermark.file(path: path)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let bench = try await bench(watermark: mark)
        let backup = "\(bench.folder).backup"
        defer { try? FileManager.default.removeItem(atPath: backup) }
        try FileManager.default.copyItem(atPath: bench.folder, toPath: backup)
        try await bench.sell(["o1"], watermark: mark)
        try FileManager.default.removeItem(atPath: bench.folder)
        try FileManager.default.copyItem(atPath: backup, toPath: bench.folder)
        let journal = try await bench.open(watermark: mark)
        #expect(try await journal.condition().gap == .restored)
        #expect(try await journal.tornTransactions() == SecretBytes([]))
    }
}

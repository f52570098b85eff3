import Bytes
import Foundation
import PaymentTerminal
import Testing

@testable import TerminalJournal

/// Journals that released versions wrote open, and their orders go on. `Golden/version-1` was written by release 0.1, with order `order` and key
/// `key`; their key is for tests.
@Suite struct GoldenJournalTests {
    private static let key = JournalKey.bytes(SecretBytes([UInt8](repeating: 0x5A, count: 32)))

    private func open(_ name: String, _ bench: JournalBench) async throws -> SQLiteJournal {
        let golden = try #require(Bundle.module.url(forResource: "Golden/version-1/\(name)", withExtension: "sqlite"))
        try FileManager.default.createDirectory(
            atPath: bench.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try FileManager.default.copyItem(atPath: golden.path(percentEncoded: false), toPath: "\(bench.folder)/journal.sqlite")
        return try await bench.open(Self.key)
    }

    @Test("A finished order keeps its answer") func finished() async throws {
        let bench = JournalBench()
        let journal = try await open("finished", bench)
        let entry = try #require(try await journal.entry(for: OrderID("order")))
        #expect(entry.stage == .finished && entry.response?.outcome == .approved && entry.key?.text == "key")
        #expect(entry.response?.card?.maskedPAN == "555555******4444")
        #expect(try await journal.condition() == JournalCondition())
        #expect(try await journal.openEntries().isEmpty)
    }

    @Test(
        "An open order is taken up where it was, and the host hears of it",
        arguments: [
            ("asking", JournalEntry.Stage.asking), ("answered", .answered), ("owing-confirmation", .owing), ("owing-advice", .owing),
            ("owing-authorization", .owing), ("owing-reversal", .owing),
        ]) func open(_ name: String, _ stage: JournalEntry.Stage) async throws
    {
        let bench = JournalBench()
        let journal = try await open(name, bench)
        #expect(try await journal.openEntries().map(\.stage) == [stage])
        let line = BenchLine()
        let terminal = try await JournalBench.terminal(line, journal) { $0.mode = .test }
        _ = try await terminal.recoverPending()
        #expect(try await journal.openEntries().isEmpty)
        #expect(line.advices.count + line.authorizations == 1, "the host heard of it once")
        let outcome = try await journal.entry(for: OrderID("order"))?.response?.outcome
        switch name {
        case "owing-confirmation", "owing-advice", "owing-authorization": #expect(outcome == .approved)
        case "owing-reversal": #expect(outcome == .reversed(.noHostAnswer))
        default: #expect(outcome == .reversed(.terminalTerminated))
        }
    }

    @Test("A golden journal takes a new key, with its entries of version 1") func rotation() async throws {
        let bench = JournalBench()
        let journal = try await open("owing-authorization", bench)
        try await journal.rotate(to: JournalBench.nextKey)
        try journal.close()
        let again = try await bench.open(JournalBench.nextKey)
        #expect(try await again.openEntries().count == 1)
        #expect(try await again.condition() == JournalCondition())
    }
}

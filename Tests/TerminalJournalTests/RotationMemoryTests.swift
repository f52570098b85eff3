import Bytes
import Foundation
import PaymentTerminal
import ProcessMemory
import Testing

@testable import TerminalJournal

extension JournalRotationTests {
    /// `RotationMemoryTests`, in a process where nothing else takes memory.
    @Test("A rotation takes as much memory for a large journal as for a small one") func boundedMemory() async throws {
        let (status, said) = try await OwnProcess.run("\\.RotationMemoryTests/peak")
        #expect(status == 0, "\(said)")
        #expect(said.contains("Test run with 1 test"), "\(said)")
    }
}

@Suite(.enabled(if: OwnProcess.isThis), .timeLimit(.minutes(20))) struct RotationMemoryTests {
    private static let count = 1200

    @Test func peak() async throws {
        let bench = JournalBench()
        let size = try await fill(bench)
        #expect(size > 12 << 20, "the entries have \(size) bytes")
        let journal = try await bench.open()
        try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        let before = try Self.peakResident()
        try await journal.rotate(to: JournalBench.nextKey)
        let grown = try Self.peakResident() - before
        #expect(grown < 5 << 20, "\(size) bytes of entries took \(grown) bytes")
        try journal.close()
        #expect(try await bench.open(JournalBench.nextKey).openEntries().count == Self.count)
    }

    /// Copies of one stored payment, under names of their own; the bytes of all of them.
    private func fill(_ bench: JournalBench) async throws -> Int {
        let line = BenchLine()
        line.isCut = true
        let journal = try await bench.open()
        var sale = try JournalBench.sale(Self.name(0))
        // Characters of four bytes in UTF-8.
        let value = String(repeating: "\u{1F4B3}", count: CustomField.limit)
        sale.terms.customFields = (1...30).map { CustomField(name: "F\($0)", value: value) }
        #expect(try await JournalBench.terminal(line, journal).processSale(sale).outcome == .storedOffline)
        let entry = try #require(try await journal.openEntries().first)
        let content = entry.content().revealed()
        try await withThrowingTaskGroup { group in
            for number in 1..<Self.count {
                let copy = try JournalEntry(
                    content: SecretBytes(content.replacing(Self.name(0).utf8, with: Self.name(number).utf8)),
                    version: JournalEntry.contentVersion)
                group.addTask { try await journal.insert(copy) }
            }
            try await group.waitForAll()
        }
        try journal.close()
        return content.count * Self.count
    }

    /// Of the same length each.
    private static func name(_ number: Int) -> String { "o\(10_000 + number)" }

    /// The largest resident set since the mark was cleared, in bytes (proc_pid_status(5), VmHWM).
    private static func peakResident() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.split(whereSeparator: \.isWhitespace)[1])) << 10
    }
}

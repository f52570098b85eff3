import Bytes
import Foundation
import PaymentTerminal
import Synchronization
import Testing

@testable import TerminalJournal

@Suite struct JournalRotationTests {
    @Test(
        "Writes that wait while the keys change are sealed with the key that is in force: every entry opens afterwards")
    func withWriters() async throws {
        let bench = JournalBench()
        var entries = 0
        do {
            let journal = try await bench.open()
            let keys = [JournalBench.nextKey, JournalBench.key]
            for round in 0..<10 {
                try await withThrowingTaskGroup { group in
                    for writer in 0..<8 {
                        group.addTask {
                            let terminal = try await JournalBench.terminal(BenchLine(), journal)
                            for number in 0..<3 {
                                _ = try await terminal.processSale(JournalBench.sale("o\(round)-\(writer)-\(number)"))
                            }
                        }
                    }
                    group.addTask { _ = try await journal.rotate(to: keys[round % 2]) }
                    try await group.waitForAll()
                }
                entries += 24
                #expect(try await journal.latest(1000).count == entries)
            }
            try journal.close()
        }
        let journal = try await bench.open()
        #expect(try await journal.latest(1000).count == entries)
        #expect(try await journal.condition() == JournalCondition())
        try await journal.verify()
        #expect(try await journal.condition().gap == nil)
    }

    @Test("Entries that were deleted before a rotation are missed after it, too") func changed() async throws {
        let bench = JournalBench()
        try await bench.sell(["o1", "o2"])
        try bench.tamper("DELETE FROM entry WHERE order_id = 'o1'")
        let journal = try await bench.open()
        #expect(try await journal.condition().gap == nil, "of finished entries only a check of all tells")
        #expect(try await journal.rotate(to: JournalBench.nextKey))
        #expect(try await journal.condition().gap == .changed)
        try journal.close()
        #expect(try await bench.open(JournalBench.nextKey).condition().gap == .restored, "the host's list is read")
    }

    @Test("While another program reads the file the rotation stands, and says that the log was not cleared")
    func withReader() async throws {
        let bench = JournalBench()
        try await bench.sell(["o1"])
        let reader = Process()
        reader.executableURL = URL(filePath: "/usr/bin/env")
        reader.arguments = [
            "python3", "-c",
            """
            import sqlite3, sys
            c = sqlite3.connect(sys.argv[1], isolation_level=None)
            c.execute("BEGIN"); c.execute("SELECT count(*) FROM entry").fetchall()
            print("reading", flush=True); sys.stdin.read()
            """, "\(bench.folder)/journal.sqlite",
        ]
        let (input, output) = (Pipe(), Pipe())
        reader.standardInput = input
        reader.standardOutput = output
        let journal = try await bench.open()
        _ = try await JournalBench.terminal(BenchLine(), journal).processSale(JournalBench.sale("o2"))
        try reader.run()
        _ = output.fileHandleForReading.availableData
        #expect(try await journal.rotate(to: JournalBench.nextKey) == false)
        try input.fileHandleForWriting.close()
        reader.waitUntilExit()
        #expect(try await journal.latest(10).count == 2)
        try journal.close()
        let old = await #expect(throws: JournalError.self) { _ = try await bench.open() }
        #expect(old?.message.contains("was made with another key") == true)
        #expect(try await bench.open(JournalBench.nextKey).latest(10).count == 2)
    }

    @Test("A rotation reseals several slices of entries; damaged entries stay as they are")
    func damagedEntry() async throws {
        let bench = JournalBench()
        try await bench.sell((0..<450).map { "o\($0)" })
        try bench.tamper("UPDATE entry SET content = zeroblob(60) WHERE order_id = 'o7'")
        let journal = try await bench.open()
        try await journal.rotate(to: JournalBench.nextKey)
        #expect(try await journal.latest(1000).count == 449)
        try journal.close()
        #expect(try await bench.open(JournalBench.nextKey).latest(1000).count == 449)
    }
}

import Bytes
import CardCapture
import Foundation
import PaymentTerminal
import Testing

@testable import TerminalJournal

/// A journal counts the days by itself, so that no clock decides what it still knows.
@Suite("The journal's own days") struct JournalDayTests {
    @Test("A day counts once, and a clock that is set counts nothing") func counting() {
        var day = JournalDay()
        for (date, number) in [
            (20_000, 1), (20_000, 1), (20_001, 2), (20_002, 3), (10_957, 3), (20_002, 3), (47_847, 3), (20_002, 3),
            (20_003, 4),
            (20_034, 5), (20_066, 5), (Int64.max, 5), (Int64.min, 5), (0, 5),
        ] as [(Int64, Int64)] {
            day.count(date)
            #expect(day.number == number, "\(date)")
        }
    }

    @Test(
        "What is older than a number of days, whatever the number",
        arguments: [(0, 9), (9, 0), (10, -1), (Int.max, nil), (-1, nil)])
    func older(_ days: Int, _ last: Int64?) {
        let day = JournalDay(number: 10)
        #expect(day.last(before: days) == (days == Int.max ? 10 - Int64.max - 1 : last))
    }

    private func refund(_ id: String) throws -> Refund {
        Refund(
            orderID: try OrderID(id), idempotencyKey: try IdempotencyKey("key-\(id)"),
            amount: try Money(parsing: "5.00 EUR"),
            target: .card(
                .keyed(
                    try CardDetails(
                        pan: SecretBytes("5555555555554444".utf8), expiry: try #require(ExpiryDate(mmyy: "1231"))),
                    cvv: nil)))
    }

    /// What a terminal does whose clock says `seconds`: it starts, and one daily round is over.
    private func day(
        _ bench: JournalBench, _ line: BenchLine, at seconds: Int64, _ body: (Terminal) async throws -> Void
    ) async throws {
        let journal = try await bench.open()
        var configuration = Terminal.Configuration(merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro)
        configuration.journalRetention = 30
        configuration.limits.retry = .seconds(3600)
        let terminal = Terminal(configuration: configuration, host: line, journal: journal) {
            Timestamp(secondsSince1970: seconds)
        }
        try await body(terminal)
        _ = try await terminal.purgeJournal(keepingDays: 30)
        try journal.close()
    }

    private static let years: [(String, Int64)] = [
        ("2000", 946_684_800), ("2026", 1_790_000_000), ("2099", 4_070_908_800),
    ]

    @Test("One key pays once, whatever year the clock says between, and however often it changes")
    func oneKeyPaysOnce() async throws {
        let (bench, line) = (JournalBench(), BenchLine())
        for (_, seconds) in Self.years {
            try await day(bench, line, at: seconds) { _ = try await $0.processRefund(refund("r-\(seconds)")) }
        }
        let paid = line.authorizations
        for (year, seconds) in Self.years + Self.years.reversed() {
            try await day(bench, line, at: seconds) { terminal in
                for (_, other) in Self.years {
                    let response = try await terminal.processRefund(refund("r-\(other)"))
                    #expect(response.outcome == .approved, "in \(year)")
                }
            }
        }
        #expect(line.authorizations == paid)
    }

    @Test("Thirty-one days of work later it is forgotten") func forgotten() async throws {
        let (bench, line) = (JournalBench(), BenchLine())
        try await bench.sell(["o1"], host: line)
        let journal = try await bench.open()
        for number in 0...30 { try await journal.count(date: Int64(20_000 + number)) }
        #expect(try await journal.purge(keepingDays: 30, limit: 10) == 0)
        try await journal.count(date: 20_031)
        #expect(try await journal.purge(keepingDays: 30, limit: 10) == 1)
        try journal.close()
    }

    @Test("The count is sealed, and survives a restart and a change of keys") func lasting() async throws {
        let bench = JournalBench()
        do {
            let journal = try await bench.open()
            for date in 20_000...20_009 { try await journal.count(date: Int64(date)) }
            try await journal.rotate(to: JournalBench.nextKey)
            try journal.close()
        }
        let ledger = try await bench.open(JournalBench.nextKey).write(.lasting) { try JournalLedger.fetch($0, $1) }
        #expect(ledger?.day == JournalDay(number: 10, date: 20_009))
    }

    @Test("A row whose day was set back from outside is not read any more") func tampered() async throws {
        let bench = JournalBench()
        let line = BenchLine()
        try await bench.sell(["o1"], host: line)
        try bench.tamper("UPDATE entry SET day = 0")
        let journal = try await bench.open()
        let error = await #expect(throws: JournalError.self) { try await journal.entry(for: OrderID("o1")) }
        #expect(error?.code == .damaged)
        try journal.close()
    }
}

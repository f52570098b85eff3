import CardCapture
import Foundation
import PaymentDoubles
import Synchronization
import Testing

@testable import PaymentTerminal
@testable import TerminalJournal

/// A journal whose folder was replaced by an older copy of it.
@Suite struct RestoredJournalTests {
    private func copy(_ from: String, to: String) throws {
        try? FileManager.default.removeItem(atPath: to)
        try FileManager.default.copyItem(atPath: from, toPath: to)
    }

    @Test(
        "A restored journal is noticed by its watermark; the host's list is read, and the same key gets what was charged"
    )
    func restored() async throws {
        let bench = JournalBench()
        let mark = JournalWatermark.file(path: "\(bench.folder).mark")
        defer { try? FileManager.default.removeItem(atPath: "\(bench.folder).mark") }
        let line = BenchLine()
        try await bench.sell(["before"], host: line, watermark: mark)
        let backup = "\(bench.folder).backup"
        defer { try? FileManager.default.removeItem(atPath: backup) }
        try copy(bench.folder, to: backup)
        try await bench.sell(["after"], host: line, watermark: mark)
        #expect(line.authorizations == 2)
        try copy(backup, to: bench.folder)

        let journal = try await bench.open(watermark: mark)
        #expect(try await journal.condition().gap == .restored)
        let terminal = try await JournalBench.terminal(line, journal)
        let again = try await terminal.processSale(JournalBench.sale("after"))
        #expect(again.outcome == .approved)
        #expect(again.uniqueReference == "U1")
        #expect(line.authorizations == 2, "the card is charged once")
        #expect(line.queries.filter { $0.orderID == nil }.count == 1)
        // Transactions after the copy have had counters that the copy does not know.
        #expect(try await journal.takeSequenceCounter() > 100_000)
        try journal.close()
        #expect(try await bench.open(watermark: mark).condition().gap == nil, "once the list is read")
    }

    @Test("A journal in place of one whose folder was lost reads the host's list, too", arguments: [true, false])
    func lostFolder(_ isBesideKey: Bool) async throws {
        let bench = JournalBench()
        let keys = "\(bench.folder).keys"
        try FileManager.default.createDirectory(atPath: keys, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: keys) }
        #expect(
            FileManager.default.createFile(
                atPath: "\(keys)/journal.key", contents: Data(String(repeating: "07", count: 32).utf8),
                attributes: [.posixPermissions: 0o600]))
        let key = JournalKey.file(path: "\(keys)/journal.key")
        let mark: JournalWatermark = isBesideKey ? .besideKey : .file(path: "\(keys)/own.mark")
        let line = BenchLine()
        do {
            let journal = try await bench.open(key, watermark: mark)
            #expect(try await journal.condition().gap == nil, "the first journal takes nobody's place")
            _ = try await JournalBench.terminal(line, journal).processSale(JournalBench.sale("o1"))
            try journal.close()
        }
        try FileManager.default.removeItem(atPath: bench.folder)
        let journal = try await bench.open(key, watermark: mark)
        #expect(try await journal.condition().gap == .restored)
        let again = try await JournalBench.terminal(line, journal).processSale(JournalBench.sale("o1"))
        #expect(again.outcome == .approved)
        #expect(line.authorizations == 1, "the card is charged once")
        try journal.close()
        #expect(try await bench.open(key, watermark: mark).condition().gap == nil, "once the list is read")
    }

    /// Each time the host's list has as many orders.
    @Test("Two journals in place of lost ones begin with other counters") func lostTwice() async throws {
        let bench = JournalBench()
        defer { try? FileManager.default.removeItem(atPath: "\(bench.folder).mark") }
        let mark = JournalWatermark.file(path: "\(bench.folder).mark")
        let line = BenchLine()
        try await bench.sell(["o1"], host: line, watermark: mark)
        var counters: Set<UInt32> = []
        for _ in 0..<2 {
            try FileManager.default.removeItem(atPath: bench.folder)
            let journal = try await bench.open(watermark: mark)
            _ = try await JournalBench.terminal(line, journal).processSale(JournalBench.sale("o1"))
            counters.insert(try await journal.takeSequenceCounter())
            try journal.close()
        }
        #expect(counters.count == 2, "equal by chance once in a million runs")
        #expect(counters.allSatisfy { $0 > 100_000 })
    }

    /// A host whose list has a hundred orders on each of its pages, and a record that cannot be
    /// read.
    private struct LongList: RelayedHost {
        let line: BenchLine

        func relayed() throws(HostError) -> any PaymentHost { line }

        func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page {
            guard query.orderID == nil else { return try await line.transactions(query) }
            let page = query.continuation.flatMap { Int($0.dropFirst()) } ?? 0
            let records = (0..<100).compactMap { number -> TransactionRecord? in
                guard let orderID = try? OrderID("listed-\(page * 100 + number)") else { return nil }
                var record = TransactionRecord(
                    orderID: orderID, uniqueReference: "L\(page)-\(number)", kind: .sale, state: .approved,
                    amount: Money(minorUnits: 1234, currency: .euro))
                record.authorizedAmount = record.amount
                record.timestamp = JournalBench.noon
                return record
            }
            return TransactionQuery.Page(records, unreadable: ["damaged", nil], next: page < 2 ? "p\(page + 1)" : nil)
        }
    }

    @Test(
        "The whole list is read, and a record that cannot be read stops nothing",
        arguments: [0, -800_000_000, Int64.min / 2])
    func wholeList(_ clock: Int64) async throws {
        let bench = JournalBench()
        let mark = JournalWatermark.file(path: "\(bench.folder).mark")
        defer { try? FileManager.default.removeItem(atPath: "\(bench.folder).mark") }
        let line = BenchLine()
        try await bench.sell(["before"], host: line, watermark: mark)
        let backup = "\(bench.folder).backup"
        defer { try? FileManager.default.removeItem(atPath: backup) }
        try copy(bench.folder, to: backup)
        try await bench.sell(["after"], host: line, watermark: mark)
        try copy(backup, to: bench.folder)

        let journal = try await bench.open(watermark: mark)
        var configuration = Terminal.Configuration(merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro)
        configuration.limits.retry = .seconds(3600)
        let terminal = Terminal(configuration: configuration, host: LongList(line: line), journal: journal) {
            Timestamp(secondsSince1970: JournalBench.noon.secondsSince1970 + clock)
        }
        #expect(try await terminal.processSale(JournalBench.sale("new")).outcome == .approved)
        #expect(try await journal.entry(for: OrderID("listed-299"))?.response?.outcome == .approved)
        let damaged = try #require(try await journal.entry(for: OrderID("damaged")))
        #expect(damaged.response?.outcome == .unknown)
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.processSale(JournalBench.sale("damaged"))
        }
        #expect(error?.code == .refused(.orderAlreadyProcessed), "its order id stays in use")
        try journal.close()
    }

    /// The order `lost` was referred; its list does not know yet that the code of a call approved it.
    private final class ReferredList: RelayedHost {
        let line: BenchLine
        let isBooked = Mutex(false)

        init(line: BenchLine) { self.line = line }

        func relayed() throws(HostError) -> any PaymentHost { line }

        func status(of orderID: OrderID) async throws(HostError) -> OrderStatus {
            guard orderID == "lost" else { return try await line.status(of: orderID) }
            let isBooked = isBooked.withLock(\.self)
            return .decided(
                AuthorizationResponse(
                    uniqueReference: "L", issuer: IssuerAnswer.Answer(responseCode: isBooked ? "00" : "02"),
                    authorizedAmount: Money(minorUnits: isBooked ? 1234 : 0, currency: .euro), message: "",
                    isAuthorized: isBooked))
        }

        func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page {
            guard query.orderID == nil || query.orderID == "lost" else { return try await line.transactions(query) }
            var record = TransactionRecord(
                orderID: "lost", uniqueReference: "L", kind: .sale, state: .declined,
                amount: Money(minorUnits: 1234, currency: .euro))
            record.responseCode = "02"
            record.timestamp = JournalBench.noon
            return [record]
        }
    }

    /// Found by a seed of the simulator (release build, 310065835).
    @Test("A referred order of the list is asked for: the code of a call may have approved it") func referred()
        async throws
    {
        let bench = JournalBench()
        let mark = JournalWatermark.file(path: "\(bench.folder).mark")
        let backup = "\(bench.folder).backup"
        defer { for path in ["\(bench.folder).mark", backup] { try? FileManager.default.removeItem(atPath: path) } }
        let line = BenchLine()
        try await bench.sell(["before"], host: line, watermark: mark)
        try copy(bench.folder, to: backup)
        try await bench.sell(["after"], host: line, watermark: mark)
        try copy(backup, to: bench.folder)
        let journal = try await bench.open(watermark: mark)
        var configuration = Terminal.Configuration(merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro)
        configuration.callsIssuer = true
        configuration.limits.retry = .seconds(3600)
        let host = ReferredList(line: line)
        let terminal = Terminal(configuration: configuration, host: host, journal: journal) { JournalBench.noon }
        try await terminal.recoverPending()
        #expect(await terminal.pendingPayments.map(\.orderID.text) == ["lost"], "it is not told as declined")
        #expect(await terminal.pendingPayments.map(\.outcome) == [.unknown])
        host.isBooked.withLock { $0 = true }
        #expect(try await terminal.recoverPending().map(\.outcome) == [.approved])
        #expect(try await journal.entry(for: OrderID("lost"))?.response?.outcome == .approved)
        #expect(await terminal.pendingPayments.isEmpty)
        try journal.close()
    }

    /// Times are days since 1970, by the clock of the terminal, which the host dates its list by.
    @Test(
        "The host's list is asked for from a day before the copy's last orders on, as the host has dated them",
        arguments: [
            (sold: [Int64](), listed: Int64?.none, first: Int64?.none),
            (sold: [20_000], listed: nil, first: 19_999),
            (sold: [19_000, 20_000, 20_001, 20_002], listed: nil, first: 19_999),
            // One of them while the clock was ahead, or behind.
            (sold: [20_000, 47_000], listed: nil, first: 19_999),
            (sold: [20_000, 0], listed: nil, first: -1),
            // A reading that was broken off has added an order.
            (sold: [20_000], listed: 20_029, first: 19_999),
            (sold: [], listed: 20_029, first: nil),
        ])
    func asked(_ sold: [Int64], _ listed: Int64?, _ first: Int64?) async throws {
        let bench = JournalBench()
        let mark = JournalWatermark.file(path: "\(bench.folder).mark")
        let backup = "\(bench.folder).backup"
        defer { for path in ["\(bench.folder).mark", backup] { try? FileManager.default.removeItem(atPath: path) } }
        let line = BenchLine()
        let configuration = Terminal.Configuration(merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro)
        func terminal(_ date: Int64, _ journal: any TransactionJournal) -> Terminal {
            Terminal(configuration: configuration, host: line, journal: journal) {
                Timestamp(secondsSince1970: date * 86_400)
            }
        }
        func sell(_ orders: [(id: String, date: Int64)]) async throws {
            let journal = try await bench.open(watermark: mark)
            for order in orders {
                let terminal = terminal(order.date, journal.reopened)
                #expect(try await terminal.processSale(JournalBench.sale(order.id)).outcome == .approved)
            }
            try journal.close()
        }
        try await sell(sold.enumerated().map { ("sold-\($0)", $1) })
        try copy(bench.folder, to: backup)
        try await sell([("lost", 20_010)])
        try copy(backup, to: bench.folder)

        let journal = try await bench.open(watermark: mark)
        #expect(try await journal.condition().gap == .restored)
        if let listed {
            let order: OrderID = "listed"
            var record = TransactionRecord(
                orderID: order, uniqueReference: "L", kind: .sale, state: .approved,
                amount: Money(minorUnits: 1, currency: .euro))
            record.timestamp = Timestamp(secondsSince1970: listed * 86_400)
            try await journal.insert(#require(JournalEntry(record, configuration)))
        }
        try await terminal(20_030, journal).recoverPending()
        let query = try #require(line.queries.first { $0.orderID == nil })
        #expect(query.period == first.map { $0 * 86_400..<Int64.max }, "without an end: the clock may be behind")
        #expect(try await journal.condition() == JournalCondition())
        #expect(try await journal.entry(for: OrderID("lost"))?.response?.outcome == .approved)
        try journal.close()
    }

    @Test("A host that knows none of the copy's orders is asked for its whole list") func unknownAtHost() async throws {
        let bench = JournalBench()
        let mark = JournalWatermark.file(path: "\(bench.folder).mark")
        let backup = "\(bench.folder).backup"
        defer { for path in ["\(bench.folder).mark", backup] { try? FileManager.default.removeItem(atPath: path) } }
        try await bench.sell(["o1", "o2"], watermark: mark)
        try copy(bench.folder, to: backup)
        try await bench.sell(["o3"], watermark: mark)
        try copy(backup, to: bench.folder)
        let line = BenchLine()
        let journal = try await bench.open(watermark: mark)
        try await JournalBench.terminal(line, journal).recoverPending()
        #expect(line.queries.map { $0.orderID?.text } == ["o2", "o1", nil])
        #expect(line.queries.last?.period == nil)
        try journal.close()
    }

    /// A host whose list has the newest order first, on a page of its own, and whose second page
    /// does not come at first.
    private final class BrokenList: RelayedHost {
        let line: BenchLine
        private let failures = Mutex(1)

        init(line: BenchLine) { self.line = line }

        func relayed() throws(HostError) -> any PaymentHost { line }

        func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page {
            guard query.orderID == nil else { return try await line.transactions(query) }
            let isSecond = query.continuation != nil
            let fails = failures.withLock { left in
                guard isSecond, left > 0 else { return false }
                left -= 1
                return true
            }
            guard !fails else { throw HostError(.noAnswer, "no answer") }
            guard let orderID = try? OrderID(isSecond ? "old" : "new") else { return [] }
            let time = JournalBench.noon.secondsSince1970 + (isSecond ? 0 : 3 * 86_400)
            var record = TransactionRecord(
                orderID: orderID, uniqueReference: "L", kind: .sale, state: .approved,
                amount: Money(minorUnits: 1234, currency: .euro))
            record.authorizedAmount = record.amount
            record.timestamp = Timestamp(secondsSince1970: time)
            let isAsked = query.period.map { $0.contains(time) } ?? true
            return TransactionQuery.Page(isAsked ? [record] : [], next: isSecond ? nil : "p2")
        }
    }

    @Test("A list that is read in part does not hide the rest from the next reading") func brokenOff() async throws {
        let bench = JournalBench()
        let mark = JournalWatermark.file(path: "\(bench.folder).mark")
        defer { try? FileManager.default.removeItem(atPath: "\(bench.folder).mark") }
        let line = BenchLine()
        try await bench.sell(["before"], host: line, watermark: mark)
        try FileManager.default.removeItem(atPath: bench.folder)
        let host = BrokenList(line: line)
        for sells in [false, true] {
            let journal = try await bench.open(watermark: mark)
            var configuration = Terminal.Configuration(
                merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro)
            configuration.limits.retry = .seconds(3600)
            let terminal = Terminal(configuration: configuration, host: host, journal: journal) {
                Timestamp(secondsSince1970: JournalBench.noon.secondsSince1970 + 3 * 86_400)
            }
            let response = try? await terminal.processSale(JournalBench.sale("next"))
            #expect((response?.outcome == .approved) == sells)
            if sells { #expect(try await journal.entry(for: OrderID("old"))?.response?.outcome == .approved) }
            try journal.close()
        }
    }

    @Test("An order that had come to nothing in the copy, and was paid since, is taken from the host's list")
    func paidSince() async throws {
        let bench = JournalBench()
        let mark = JournalWatermark.file(path: "\(bench.folder).mark")
        defer { try? FileManager.default.removeItem(atPath: "\(bench.folder).mark") }
        let line = BenchLine()
        line.isCut = true
        do {
            let journal = try await bench.open(watermark: mark)
            let terminal = try await JournalBench.terminal(line, journal) { $0.offline = OfflinePolicy() }
            await #expect(throws: TerminalError.self) { try await terminal.processSale(JournalBench.sale("o1")) }
            try journal.close()
        }
        line.isCut = false
        let backup = "\(bench.folder).backup"
        defer { try? FileManager.default.removeItem(atPath: backup) }
        try copy(bench.folder, to: backup)
        try await bench.sell(["o1"], host: line, watermark: mark)
        try copy(backup, to: bench.folder)
        let terminal = try await JournalBench.terminal(line, bench.open(watermark: mark))
        #expect(try await terminal.processSale(JournalBench.sale("o1")).outcome == .approved)
        #expect(line.authorizations == 1, "the card is charged once")
    }

    /// A card that declines without the host.
    private struct DecliningReader: CardReader {
        let name = "declining"
        let capabilities: ReaderCapabilities = []
        let events = ReaderEvents()

        func capture(
            _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
        ) async throws(CaptureError) -> CaptureOutcome {
            CaptureOutcome(decision: .declinedOffline, card: nil)
        }
    }

    /// SQLite leaves a write in the log whose flush failed. The caller knew that nothing was
    /// charged, and asked again; the copy has the write all the same.
    @Test("A decline in the copy that the caller never received does not hide the payment")
    func declinedAndPaidSince() async throws {
        let bench = JournalBench()
        let mark = JournalWatermark.file(path: "\(bench.folder).mark")
        let (empty, backup) = ("\(bench.folder).empty", "\(bench.folder).backup")
        defer {
            for file in ["\(bench.folder).mark", empty, backup] { try? FileManager.default.removeItem(atPath: file) }
        }
        let line = BenchLine()
        try await bench.sell(["o0"], host: line, watermark: mark)
        try copy(bench.folder, to: empty)
        do {
            let journal = try await bench.open(watermark: mark)
            let terminal = try await JournalBench.terminal(line, journal, reader: DecliningReader())
            var sale = try JournalBench.sale("o1")
            sale.source = .reader
            #expect(try await terminal.processSale(sale).outcome == .declined)
            try journal.close()
        }
        try copy(bench.folder, to: backup)
        try copy(empty, to: bench.folder)
        try await bench.sell(["o1"], host: line, watermark: mark)
        #expect(line.authorizations == 2)
        try copy(backup, to: bench.folder)

        let terminal = try await JournalBench.terminal(line, bench.open(watermark: mark))
        let known = try await terminal.processSale(JournalBench.sale("o1"))
        #expect(known.outcome == .approved)
        #expect(known.uniqueReference == "U1")
        #expect(line.authorizations == 2, "the card is charged once")
    }

    @Test("A payment that was reversed after the copy is reversed in the restored journal, and for its key")
    func reversedSince() async throws {
        let bench = JournalBench()
        let mark = JournalWatermark.file(path: "\(bench.folder).mark")
        let backup = "\(bench.folder).backup"
        defer { for file in ["\(bench.folder).mark", backup] { try? FileManager.default.removeItem(atPath: file) } }
        let line = BenchLine()
        try await bench.sell(["kept", "undone"], host: line, watermark: mark)
        try copy(bench.folder, to: backup)
        do {
            let journal = try await bench.open(watermark: mark)
            let reversed = try await JournalBench.terminal(line, journal).reverse(OrderID("undone"))
            #expect(reversed.outcome == .reversed(.requested))
            try journal.close()
        }
        try copy(backup, to: bench.folder)

        let terminal = try await JournalBench.terminal(line, bench.open(watermark: mark))
        let events = terminal.eventStream(of: [.result])
        let again = try await terminal.processSale(JournalBench.sale("undone"))
        #expect(again.outcome == .reversed(.requested))
        #expect(again.reversal == .performed)
        #expect(again.uniqueReference == "U1")
        #expect(again.card != nil)
        #expect(try await terminal.processSale(JournalBench.sale("kept")).outcome == .approved)
        #expect(line.authorizations == 2, "the card is not charged again")
        var cleared: [PaymentResponse] = []
        for await event in events {
            if case .cleared(let response) = event.content { cleared.append(response) }
            if case .payment(let response) = event.content, response.outcome == .approved { break }
        }
        #expect(cleared.map(\.orderID) == [again.orderID])
        #expect(cleared.map(\.outcome) == [again.outcome])
    }

    @Test("The reversal of another terminal's order with the same id does not reverse the payment")
    func reversedElsewhere() async throws {
        let bench = JournalBench()
        let mark = JournalWatermark.file(path: "\(bench.folder).mark")
        let backup = "\(bench.folder).backup"
        defer { for file in ["\(bench.folder).mark", backup] { try? FileManager.default.removeItem(atPath: file) } }
        try await bench.sell(["o1"], watermark: mark)
        try copy(bench.folder, to: backup)
        try await bench.sell(["o2"], watermark: mark)
        try copy(backup, to: bench.folder)

        // At this host the id belongs to the second order, "U1".
        let other = BenchLine()
        let elsewhere = JournalBench()
        try await elsewhere.sell(["o0", "o1"], host: other)
        try await other.advise(Advice(orderID: OrderID("o1"), result: .reversed(.requested)))
        let terminal = try await JournalBench.terminal(other, bench.open(watermark: mark))
        #expect(try await terminal.processSale(JournalBench.sale("o1")).outcome == .approved)
        #expect(other.queries.filter { $0.orderID == nil }.count == 1)
    }

    @Test("Two restores of one copy do not repeat a counter") func counterOfTwoRestores() async throws {
        let bench = JournalBench()
        let mark = JournalWatermark.file(path: "\(bench.folder).mark")
        defer { try? FileManager.default.removeItem(atPath: "\(bench.folder).mark") }
        let line = BenchLine()
        try await bench.sell(["o0"], host: line, watermark: mark)
        let backup = "\(bench.folder).backup"
        defer { try? FileManager.default.removeItem(atPath: backup) }
        try copy(bench.folder, to: backup)
        try await bench.sell(["o1"], host: line, watermark: mark)
        var counters: [UInt32] = []
        for round in 0..<2 {
            try copy(backup, to: bench.folder)
            let journal = try await bench.open(watermark: mark)
            let terminal = try await JournalBench.terminal(line, journal)
            _ = try await terminal.processSale(JournalBench.sale("restored-\(round)"))
            let counter = try await journal.takeSequenceCounter()
            counters.append(counter)
            // Makes the counter lasting, as a sale with a card does.
            _ = try await terminal.processSale(JournalBench.sale("counted-\(round)"))
            try journal.close()
        }
        #expect(counters[1] > counters[0])
    }

    /// What is taken in from the host's list counts as written, and with the mark lost raises a new
    /// one.
    @Test("A gap stays open across a restart in the middle of the host's list", arguments: [false, true])
    func interruptedList(losesMark: Bool) async throws {
        let bench = JournalBench()
        let path = "\(bench.folder).mark"
        let backup = "\(bench.folder).backup"
        defer { for file in [path, backup] { try? FileManager.default.removeItem(atPath: file) } }
        try await bench.sell(["o0"], watermark: .file(path: path))
        try copy(bench.folder, to: backup)
        try await bench.sell(["o1", "o2", "o3"], watermark: .file(path: path))
        let sold = try await bench.open(watermark: .file(path: path))
        let entry = try #require(try await sold.entry(for: OrderID("o1")))
        try sold.close()
        try copy(backup, to: bench.folder)
        if losesMark { try FileManager.default.removeItem(atPath: path) }
        let journal = try await bench.open(watermark: .file(path: path))
        #expect(try await journal.condition().gap == .restored)
        try await journal.insert(entry)
        for _ in 1...20 { try await journal.update(entry, .lasting) }
        try journal.close()
        let again = try await bench.open(watermark: .file(path: path))
        #expect(try await again.condition().gap == .restored)
        try await again.closeGap()
        try again.close()
        #expect(try await bench.open(watermark: .file(path: path)).condition().gap == nil)
    }

    @Test("A watermark that went with the journal is suspicious, too") func lostMark() async throws {
        let bench = JournalBench()
        let path = "\(bench.folder).mark"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await bench.sell(["o1"], watermark: .file(path: path))
        try await bench.sell(["o2"], watermark: .file(path: path))
        try FileManager.default.removeItem(atPath: path)
        #expect(try await bench.open(watermark: .file(path: path)).condition().gap == .restored)
    }

    @Test("An empty journal has its mark at once, so that a copy of it is noticed though the mark is lost")
    func copyOfAnEmptyJournal()
        async throws
    {
        let bench = JournalBench()
        let path = "\(bench.folder).mark"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await bench.open(watermark: .file(path: path)).close()
        let backup = "\(bench.folder).backup"
        defer { try? FileManager.default.removeItem(atPath: backup) }
        try copy(bench.folder, to: backup)
        try await bench.sell(["o1"], watermark: .file(path: path))
        try copy(backup, to: bench.folder)
        try FileManager.default.removeItem(atPath: path)
        #expect(try await bench.open(watermark: .file(path: path)).condition().gap == .restored)
    }

    /// The copy has a write whose number another one would get after the power cut.
    @Test("A copy is noticed although it has a write that a power cut took from the journal and its mark")
    func copyOfLostWrite()
        async throws
    {
        let bench = JournalBench()
        let path = "\(bench.folder).mark"
        let (lost, before) = ("\(bench.folder).lost", "\(bench.folder).before")
        defer {
            for file in [path, lost, before, before + ".mark"] { try? FileManager.default.removeItem(atPath: file) }
        }
        let journal = try await bench.open(watermark: .file(path: path))
        try copy(bench.folder, to: before)
        try copy(path, to: before + ".mark")
        _ = try await JournalBench.terminal(BenchLine(), journal).processSale(JournalBench.sale("o1"))
        try copy(bench.folder, to: lost)
        try journal.close()
        // The power cut.
        try copy(before, to: bench.folder)
        try copy(before + ".mark", to: path)
        try await bench.sell(["o2"], watermark: .file(path: path))
        try copy(lost, to: bench.folder)
        #expect(try await bench.open(watermark: .file(path: path)).condition().gap == .restored)
    }

    @Test(
        "A journal that was not replaced has no gap, however often it is opened; a folder that takes no mark is not a gap either"
    )
    func notRestored() async throws {
        let bench = JournalBench()
        let path = "\(bench.folder).mark"
        defer { try? FileManager.default.removeItem(atPath: path) }
        for round in 0..<4 {
            try await bench.sell(["o\(round)"], watermark: .file(path: path))
            let journal = try await bench.open(watermark: .file(path: path))
            #expect(try await journal.condition().gap == nil)
            try journal.close()
        }
        let other = JournalBench()
        for round in 0..<3 { try await other.sell(["o\(round)"], watermark: .file(path: "/proc/self/mark")) }
        #expect(try await other.open(watermark: .file(path: "/proc/self/mark")).condition().gap == nil)
    }

    @Test("The mark stands beside the key file, for its owner only") func besideKey() async throws {
        let bench = JournalBench()
        let path = "\(bench.folder).key"
        defer {
            for file in (try? FileManager.default.contentsOfDirectory(atPath: NSTemporaryDirectory())) ?? []
            where path.hasSuffix(file) || file.hasPrefix(URL(filePath: path).lastPathComponent) {
                try? FileManager.default.removeItem(atPath: NSTemporaryDirectory() + file)
            }
        }
        #expect(
            FileManager.default.createFile(
                atPath: path, contents: Data(String(repeating: "0a", count: 32).utf8),
                attributes: [.posixPermissions: 0o600]))
        let journal = try await SQLiteJournal.open(folder: bench.folder, key: JournalKey.file(path: path))
        _ = try await JournalBench.terminal(BenchLine(), journal).processSale(JournalBench.sale("o1"))
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        let marks = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            $0.hasPrefix(URL(filePath: path).lastPathComponent) && $0.hasSuffix(".mark")
        }
        #expect(marks.count == 1)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + (try #require(marks.first)))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
}

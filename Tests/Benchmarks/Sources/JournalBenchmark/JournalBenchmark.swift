import CardBench
import CommitReference
import Figures
import Foundation
import GRDB
import TerminalJournal

/// What a sale costs the terminal and its journal, what a large journal costs, and what many
/// terminals in one process take (docs/performance.md).
///
/// - `FOLDER`: an empty folder on the disk to be measured.
/// - `terminals`, `sales`, `journals`: that part alone.
/// - `--json`: for `tools/bench`.
@main
struct JournalBenchmark {
    static func main() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let isJSON = arguments.last == "--json"
        if isJSON { arguments.removeLast() }
        let parts = arguments.dropFirst().first.map { [$0] } ?? ["terminals", "sales", "journals"]
        guard let folder = arguments.first, arguments.count <= 2,
            parts.allSatisfy(["terminals", "sales", "journals"].contains)
        else {
            print("JournalBenchmark FOLDER [terminals | sales | journals] [--json]")
            exit(64)
        }
        var figures: [Figure] = []
        // First: what it takes of memory is that of a process that has done nothing else.
        if parts.contains("terminals") { figures += try await terminals(64, folder) }
        if parts.contains("sales") { figures += try await sales(folder) }
        if parts.contains("journals") {
            figures += growth(from: try await journal(of: 1_000, folder), to: try await journal(of: 1_000_000, folder))
        }
        guard !isJSON else { return print(String(decoding: try JSONEncoder().encode(figures), as: UTF8.self)) }
        for figure in figures { print("\(figure.name): \(figure.value) \(figure.unit) (at most \(figure.limit))") }
    }

    /// Chip sales one after the other against a host in the process that answers at once.
    private static func sales(_ folder: String) async throws -> [Figure] {
        let host = BenchmarkHost()
        let journal = try await open("\(folder)/sales")
        let terminal = try await terminal(host, journal)
        for number in 0..<50 { _ = try await terminal.processSale(sale("warm-\(number)")) }
        let before = Usage.now
        let count = 1000
        for number in 0..<count { _ = try await terminal.processSale(sale("sale-\(number)")) }
        let spent = Usage.now - before
        try await terminal.recoverPending()
        try journal.close()
        let start = Usage.now
        try CommitReference.run(folder: folder, commits: 3 * count)
        let reference = Usage.now - start
        return [
            Figure(
                "a sale's processor time, by that of three bare commits",
                value: spent.processorMicroseconds / reference.processorMicroseconds, unit: "", limit: 4.7),
            Figure(
                "its lasting writes, by the flushes of the process", value: Double(spent.flushes) / Double(count),
                unit: "", limit: 3.2),
            Figure(
                "its allocations, the kernel's apart", value: Double(spent.allocations / count), unit: "", limit: 1270),
            Figure(
                "its round trips before the answer", value: Double(host.authorizations) / Double(count + 50), unit: "",
                limit: 1),
        ]
    }

    /// Start, look-up and sale with a journal of `count` finished entries and ten open ones.
    private static func journal(of count: Int, _ folder: String) async throws -> JournalCost {
        let place = "\(folder)/journal-\(count)"
        let host = BenchmarkHost()
        do {
            let journal = try await open(place)
            let first = try await terminal(host, journal)
            _ = try await first.processSale(sale("finished"))
            try await first.recoverPending()
            host.isAway = true
            let terminal = try await terminal(host, journal)
            for number in 0..<10 { _ = try await terminal.processSale(sale("open-\(number)")) }
            try journal.close()
        }
        // Copies of one finished entry: nobody reads them, so their seals do not matter.
        let database = try DatabaseQueue(path: "\(place)/journal.sqlite")
        try await database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO entry (order_id, idempotency_key, stage, seconds_since_1970, version, written, content)
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                    SELECT 'copy-' || i, 'key-' || i, 'finished', seconds_since_1970, version, written, content FROM n, entry
                    WHERE order_id = 'finished'
                    """)
        }
        try database.close()
        // What is still on its way to the disk would be charged to the first flush.
        sync()
        var start = Usage.now
        let journal = try await open(place)
        let opening = Usage.now - start
        start = Usage.now
        let open = try await journal.openEntries()
        let listing = Usage.now - start
        start = Usage.now
        for number in 0..<100 { _ = try? await journal.entry(for: OrderID("copy-\(number * 7 + 1)")) }
        let lookUp = Usage.now - start
        host.isAway = false
        let terminal = try await terminal(host, journal)
        start = Usage.now
        for number in 0..<100 { _ = try await terminal.processSale(sale("more-\(number)")) }
        let selling = Usage.now - start
        try journal.close()
        guard open.count == 10 else { throw JournalBenchmarkError.openEntries(open.count) }
        return JournalCost(
            opening: opening.processorMicroseconds, listing: listing.processorMicroseconds,
            lookUps: lookUp.processorMicroseconds,
            sales: selling.processorMicroseconds)
    }

    /// A journal of 1,000,000 entries against one of 1,000. To open it drops the file from the
    /// system's memory, which takes as long as the file is large; the first look-ups then read it
    /// from the disk.
    private static func growth(from small: JournalCost, to large: JournalCost) -> [Figure] {
        let name = "a journal of 1,000,000 entries"
        return [
            Figure("\(name): opened, processor time", value: large.opening / 1000, unit: "ms", limit: 220),
            Figure(
                "\(name): its ten open entries listed, by 1,000 entries", value: large.listing / small.listing,
                unit: "", limit: 1.2),
            Figure("\(name): a look-up, by 1,000 entries", value: large.lookUps / small.lookUps, unit: "", limit: 3.2),
            Figure("\(name): a sale, by 1,000 entries", value: large.sales / small.sales, unit: "", limit: 1.6),
        ]
    }

    /// Terminals with a journal each, all selling at once.
    private static func terminals(_ count: Int, _ folder: String) async throws -> [Figure] {
        var terminals: [Terminal] = []
        for number in 0..<count {
            terminals.append(try await terminal(BenchmarkHost(), open("\(folder)/terminal-\(number)")))
        }
        let sampler = ThreadSampler()
        await withTaskGroup(of: Void.self) { group in
            for terminal in terminals {
                group.addTask {
                    for number in 0..<20 { _ = try? await terminal.processSale(sale("sale-\(number)")) }
                }
            }
        }
        let threads = sampler.stop()
        let memory = Usage.residentMegabytes
        withExtendedLifetime(terminals) {}
        return [
            Figure("\(count) terminals selling at once: threads", value: Double(threads), unit: "", limit: 16),
            Figure("\(count) terminals selling at once: resident memory", value: memory, unit: "MB", limit: 60),
        ]
    }

    private static func open(_ folder: String) async throws -> SQLiteJournal {
        try await SQLiteJournal.open(
            folder: folder, key: JournalKey.bytes(SecretBytes([UInt8](repeating: 7, count: 32))))
    }

    private static func terminal(_ host: BenchmarkHost, _ journal: SQLiteJournal) async throws -> Terminal {
        var configuration = Terminal.Configuration(
            merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro, mode: .test)
        configuration.offline = OfflinePolicy(deferredAuthorization: [.magneticStripe])
        configuration.limits.retry = .seconds(3600)
        configuration.journalRetention = nil
        let terminal = Terminal(configuration: configuration, host: host, journal: journal) {
            Timestamp(secondsSince1970: 1_773_057_909)
        }
        try await terminal.connect(BenchmarkReader())
        return terminal
    }

    private static func sale(_ id: String) throws -> Sale {
        Sale(
            orderID: try OrderID(id), idempotencyKey: try IdempotencyKey("key-\(id)"),
            amount: Money(minorUnits: 1234, currency: .euro))
    }
}

/// Processor time of a start, of its open entries, and of a hundred look-ups and sales, in
/// microseconds.
private struct JournalCost {
    let opening, listing, lookUps, sales: Double
}

enum JournalBenchmarkError: Error {
    /// Ten were left open, and another number was listed.
    case openEntries(Int)
}

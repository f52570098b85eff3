import CardBench
import Foundation
import GRDB
import TerminalJournal

/// What a sale costs the terminal and its journal, what a large journal costs, and what many terminals in one process take
/// (docs/performance.md).
///
/// - `FOLDER`: an empty folder on the disk to be measured.
/// - `terminals`, `sales`, `journals`: that part alone.
@main
struct JournalBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let parts = arguments.dropFirst().first.map { [$0] } ?? ["terminals", "sales", "journals"]
        guard let folder = arguments.first, arguments.count <= 2 else {
            print("JournalBenchmark FOLDER [terminals | sales | journals]")
            exit(64)
        }
        if parts.contains("terminals") { try await terminals(64, folder) }
        if parts.contains("sales") { try await sales(folder) }
        if parts.contains("journals") { for count in [1_000, 1_000_000] { try await journal(of: count, folder) } }
    }

    /// Chip sales one after the other against a host in the process that answers at once.
    private static func sales(_ folder: String) async throws {
        let host = BenchmarkHost()
        let journal = try await open("\(folder)/sales")
        let terminal = try await terminal(host, journal)
        for number in 0..<50 { _ = try await terminal.processSale(sale("warm-\(number)")) }
        let before = Usage.now
        let count = 1000
        for number in 0..<count { _ = try await terminal.processSale(sale("sale-\(number)")) }
        let spent = Usage.now - before
        try await terminal.recoverPending()
        print("sale: \(spent.processorMicroseconds / Double(count)) µs of processor time, \(spent.milliseconds / Double(count)) ms")
        print("allocations: \(spent.allocations / count), flushes: \(Double(spent.flushes) / Double(count))")
        print("round trips before the answer: \(Double(host.authorizations) / Double(count + 50))")
        try journal.close()
    }

    /// Start, look-up and sale with a journal of `count` finished entries and ten open ones.
    private static func journal(of count: Int, _ folder: String) async throws {
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
        let bytes = try FileManager.default.attributesOfItem(atPath: "\(place)/journal.sqlite")[.size] as? Int ?? 0
        print(
            """
            \(count) entries, \(bytes / 1_048_576) MiB: opened in \(opening.milliseconds) ms, \(open.count) open ones listed in \
            \(listing.milliseconds) ms, a look-up \(lookUp.milliseconds / 100) ms, a sale \(selling.milliseconds / 100) ms
            """)
        try journal.close()
    }

    /// Terminals with a journal each, all selling at once.
    private static func terminals(_ count: Int, _ folder: String) async throws {
        var terminals: [Terminal] = []
        for number in 0..<count { terminals.append(try await terminal(BenchmarkHost(), open("\(folder)/terminal-\(number)"))) }
        let sampler = ThreadSampler()
        await withTaskGroup(of: Void.self) { group in
            for terminal in terminals {
                group.addTask {
                    for number in 0..<20 { _ = try? await terminal.processSale(sale("sale-\(number)")) }
                }
            }
        }
        print("\(count) terminals: \(sampler.stop()) threads at most, \(Usage.residentMegabytes) MB resident")
        withExtendedLifetime(terminals) {}
    }

    private static func open(_ folder: String) async throws -> SQLiteJournal {
        try await SQLiteJournal.open(folder: folder, key: JournalKey.bytes(SecretBytes([UInt8](repeating: 7, count: 32))))
    }

    private static func terminal(_ host: BenchmarkHost, _ journal: SQLiteJournal) async throws -> Terminal {
        var configuration = Terminal.Configuration(merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro, mode: .test)
        configuration.offline = OfflinePolicy(deferredAuthorization: [.chip, .magneticStripe])
        configuration.limits.retry = .seconds(3600)
        configuration.journalRetention = nil
        let terminal = Terminal(configuration: configuration, host: host, journal: journal) { Timestamp(secondsSince1970: 1_773_057_909) }
        try await terminal.connect(BenchmarkReader())
        return terminal
    }

    private static func sale(_ id: String) throws -> Sale {
        Sale(orderID: try OrderID(id), idempotencyKey: try IdempotencyKey("key-\(id)"), amount: Money(minorUnits: 1234, currency: .euro))
    }
}

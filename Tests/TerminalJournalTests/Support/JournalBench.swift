import Bytes
import CardCapture
import Foundation
import PaymentDoubles
import PaymentTerminal
import Synchronization
import Testing

@testable import TerminalJournal

/// A folder for a journal, its key, and terminals over it.
final class JournalBench: Sendable {
    let folder = FileManager.default.temporaryDirectory.appending(path: "journal-\(UUID().uuidString)").path(
        percentEncoded: false)
    static let key = JournalKey.bytes(SecretBytes([UInt8](repeating: 7, count: 32)))
    static let nextKey = JournalKey.bytes(SecretBytes([UInt8](repeating: 9, count: 32)))
    static let noon = Timestamp(secondsSince1970: 1_773_057_909)

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func open(_ key: JournalKey = JournalBench.key, watermark: JournalWatermark = .none) async throws(JournalError)
        -> SQLiteJournal
    {
        try await SQLiteJournal.open(folder: folder, key: key, watermark: watermark)
    }

    static func terminal(
        _ host: any PaymentHost, _ journal: any TransactionJournal, reader: (any CardReader)? = nil,
        configure: (inout Terminal.Configuration) -> Void = { _ in }
    ) async throws -> Terminal {
        var configuration = Terminal.Configuration(
            merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro,
            offline: OfflinePolicy(deferredAuthorization: [.keyed]))
        configuration.limits.retry = .seconds(3600)
        configure(&configuration)
        let terminal = Terminal(configuration: configuration, host: host, journal: journal.reopened) { noon }
        if let reader { try await terminal.connect(reader) }
        return terminal
    }

    /// A keyed sale with a published test number.
    static func sale(_ id: String) throws -> Sale {
        Sale(
            orderID: try OrderID(id), idempotencyKey: try IdempotencyKey("key-\(id)"),
            amount: try Money(parsing: "12.34 EUR"),
            source: .keyed(
                try CardDetails(
                    pan: SecretBytes("5555555555554444".utf8), expiry: try #require(ExpiryDate(mmyy: "1231"))), cvv: nil
            ))
    }

    /// Sells `ids` and leaves the journal closed.
    func sell(_ ids: [String], host: any PaymentHost = BenchLine(), watermark: JournalWatermark = .none) async throws {
        let journal = try await open(watermark: watermark)
        let terminal = try await Self.terminal(host, journal)
        for id in ids { _ = try await terminal.processSale(Self.sale(id)) }
        try journal.close()
    }

    /// What SQLite answers, by another program.
    func query(_ sql: String) throws -> String {
        let python = Process()
        python.executableURL = URL(filePath: "/usr/bin/env")
        python.arguments = [
            "python3", "-c",
            "import sqlite3,sys\nfor row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(row)",
            "\(folder)/journal.sqlite", sql,
        ]
        let output = Pipe()
        python.standardOutput = output
        try python.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        python.waitUntilExit()
        try #require(python.terminationStatus == 0)
        return String(decoding: text, as: UTF8.self)
    }

    /// Changes the file from outside, as anybody with the disk can.
    func tamper(_ sql: String, file: String? = nil) throws {
        let python = Process()
        python.executableURL = URL(filePath: "/usr/bin/env")
        python.arguments = [
            "python3", "-c",
            "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.executescript(sys.argv[2]); c.commit()",
            file ?? "\(folder)/journal.sqlite", sql,
        ]
        try python.run()
        python.waitUntilExit()
        try #require(python.terminationStatus == 0)
    }
}

/// A line to a host that approves, keeps what it approved, and can be cut.
final class BenchLine: PaymentHost {
    private struct State {
        var isCut = false
        var orders: [String: TransactionRecord] = [:]
        var authorizations = 0
        var advices: [Advice] = []
        var queries: [TransactionQuery] = []
    }

    private let state = Mutex(State())
    private static let away = HostError(.unreachable, "no network: check the cable")
    private static let nothing = HostError(.notSupported, "this host has no such thing")

    var isCut: Bool {
        get { state.withLock { $0.isCut } }
        set { state.withLock { $0.isCut = newValue } }
    }
    var authorizations: Int { state.withLock { $0.authorizations } }
    var advices: [Advice] { state.withLock { $0.advices } }
    var queries: [TransactionQuery] { state.withLock { $0.queries } }

    private func reached() throws(HostError) { if isCut { throw Self.away } }

    private static func approval(_ record: TransactionRecord) -> AuthorizationResponse {
        AuthorizationResponse(
            uniqueReference: record.uniqueReference,
            issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: "123456"),
            authorizedAmount: record.amount ?? Money(minorUnits: 0, currency: .euro), message: "APPROVAL")
    }

    func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        try reached()
        let (record, isNew) = state.withLock { state in
            state.authorizations += 1
            if let known = state.orders[request.orderID.text] { return (known, false) }
            var record = TransactionRecord(
                orderID: request.orderID, uniqueReference: "U\(state.orders.count)", kind: .sale, state: .approved,
                amount: request.amount)
            record.authorizedAmount = request.amount
            record.timestamp = request.timestamp
            state.orders[request.orderID.text] = record
            return (record, true)
        }
        guard isNew else { throw HostError(.orderAlreadyProcessed, "Order Already Processed") }
        return Self.approval(record)
    }

    func advise(_ advice: Advice) async throws(HostError) {
        try reached()
        state.withLock { state in
            state.advices.append(advice)
            if case .reversed = advice.result { state.orders[advice.orderID.text]?.state = .reversed }
        }
    }

    func status(of orderID: OrderID) async throws(HostError) -> OrderStatus {
        try reached()
        guard let record = state.withLock({ $0.orders[orderID.text] }) else { return .notSeen }
        return record.state == .reversed ? .reversed : .decided(Self.approval(record))
    }

    func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page {
        try reached()
        return state.withLock { state in
            state.queries.append(query)
            let all = state.orders.values.filter { query.orderID == nil || $0.orderID == query.orderID }
                .sorted { $0.uniqueReference < $1.uniqueReference }
            let page = query.continuation.flatMap { Int($0) } ?? query.page
            let rest = all.dropFirst(page * query.pageSize)
            return TransactionQuery.Page(
                Array(rest.prefix(query.pageSize)), next: rest.count > query.pageSize ? String(page + 1) : nil)
        }
    }

    func settings() async throws(HostError) -> HostSettings { throw Self.nothing }
    func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse { throw Self.nothing }
    func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse { throw Self.nothing }
    func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        throw Self.nothing
    }
    func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard { throw Self.nothing }
    func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        throw Self.nothing
    }
    func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
        throw Self.nothing
    }
}

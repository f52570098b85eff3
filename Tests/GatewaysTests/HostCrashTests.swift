import BenchHost
import Bytes
import CardCapture
import FaultProxy
import Foundation
import Gateways
import PaymentTerminal
import Synchronization
import TLV
import Testing

/// A host that is killed with SIGKILL when a message from or to it passes, one message a run, and
/// started again on the same vault: terminal and host must agree afterwards.
@Suite(.serialized) struct HostCrashTests {
    enum Scenario: String, CaseIterable {
        case keyed, stripe, chip, setAside, refund, capture, withSecureCard, declined
    }

    @Test("the host is killed at every message", .timeLimit(.minutes(20))) func everyMessage() async throws {
        var total = 0
        for scenario in Scenario.allCases {
            var message = 0
            repeat { message += 1 } while try await survives(scenario, killedAt: message)
            #expect(message > 2, "\(scenario) has no messages")
            total += message - 1
        }
        print("the host was killed \(total) times in \(Scenario.allCases.count) scenarios")
        #expect(total >= 30)
    }

    /// - Returns: False if there is no such message.
    private func survives(_ scenario: Scenario, killedAt message: Int) async throws -> Bool {
        let folder = FileManager.default.temporaryDirectory.appending(path: "host-\(UUID().uuidString)").path(
            percentEncoded: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try await ServedHost.start(folder)
        defer { first.kill() }
        let options = ConnectionOptions(connectTimeout: .seconds(2), answerTimeout: .seconds(10))
        let gateway = try RESTGateway(first.address, account: first.account, options: options)
        let terminal = Terminal(
            configuration: Terminal.Configuration(
                merchantName: "Corner Shop", terminalID: HostBench.terminalID, currency: .euro, mode: .test),
            host: gateway, journal: MemoryJournal()
        ) { Timestamp(secondsSince1970: 1_773_057_909) }
        if let reader = scenario.reader { try await terminal.connect(reader) }
        let original = try await scenario.prepare(terminal)

        let seen = Mutex(0)
        let proxy = try FaultProxy(
            upstream: first.port,
            onMessage: { number in
                seen.withLock { $0 = number }
                if number == message { first.kill() }
            }, script: { _ in ConnectionScript() })
        try await gateway.use(GatewayAddress("http://127.0.0.1:\(proxy.port)/merchant"), account: first.account)
        let answer = try? await scenario.perform(terminal, original)
        proxy.stop()
        guard seen.withLock({ $0 }) >= message else { return false }

        first.kill()
        let second = try await ServedHost.start(folder)
        defer { second.kill() }
        try await gateway.use(second.address, account: second.account)
        _ = try await terminal.recoverPending()
        #expect(await terminal.pendingPayments.isEmpty, "\(scenario), killed at \(message)")
        let now = try await scenario.perform(terminal, original)
        let records = try await gateway.transactions(TransactionQuery(pageSize: 100)).filter {
            $0.orderID.text == "order"
        }
        let stands = records.filter { [.approved, .approvedOffline, .captured, .settled].contains($0.state) }
        #expect(
            stands.count == (now.isApproved ? 1 : 0),
            "\(scenario), killed at \(message): answered \(now.outcome), the host has \(records)")
        if let answer, answer.isApproved { #expect(now == answer, "\(scenario), killed at \(message)") }
        return true
    }
}

extension HostCrashTests.Scenario {
    private static let amount = Money(minorUnits: 1234, currency: .euro)
    private static let counter = Mutex(UInt16(0))

    fileprivate var reader: (any CardReader)? {
        switch self {
        case .stripe: Swipe()
        case .chip:
            Chip(
                atc: Self.counter.withLock { counter in
                    counter += 10
                    return counter
                })
        default: nil
        }
    }

    /// - Returns: What the host calls the transaction that is refunded or captured.
    fileprivate func prepare(_ terminal: Terminal) async throws -> String {
        guard self == .refund || self == .capture else { return "" }
        let sale = Sale(
            orderID: OrderID("original"), amount: Self.amount, source: .keyed(try details(), cvv: nil),
            isPreAuthorization: self == .capture)
        return try #require(try await terminal.processSale(sale).uniqueReference)
    }

    fileprivate func perform(_ terminal: Terminal, _ original: String) async throws -> PaymentResponse {
        let (order, key) = (OrderID("order"), try IdempotencyKey("key"))
        switch self {
        case .refund:
            return try await terminal.processRefund(
                Refund(orderID: order, idempotencyKey: key, amount: Self.amount, target: .transaction(original)))
        case .capture:
            return try await terminal.capture(
                FundsCapture(orderID: order, idempotencyKey: key, original: original, amount: Self.amount))
        default:
            var sale = Sale(
                orderID: order, idempotencyKey: key, amount: Self.amount, source: .keyed(try details(), cvv: nil))
            if reader != nil { sale.source = .reader }
            sale.isPreAuthorization = self == .setAside
            if self == .declined { sale.amount = Money(minorUnits: 1251, currency: .euro) }
            if self == .withSecureCard {
                sale.secureCard = SecureCard(merchantReference: try MerchantReference("customer-7"))
            }
            return try await terminal.processSale(sale)
        }
    }
}

/// `crash-lane host` in a process of its own.
private final class ServedHost: Sendable {
    let port: UInt16
    let account: RESTGateway.Account
    private let pid: Int32

    /// On a thread of its own, because it blocks.
    static func start(_ folder: String) async throws -> ServedHost {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try ServedHost(folder) }) }
        }
    }

    private init(_ folder: String) throws {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        let folders = [own, CommandLine.arguments[0]].map { URL(filePath: $0).deletingLastPathComponent() }
        let process = Process()
        process.executableURL = folders.map { $0.appending(path: "crash-lane") }.first {
            FileManager.default.isExecutableFile(atPath: $0.path(percentEncoded: false))
        }
        process.arguments = ["host", folder]
        // Of a process that is killed no coverage comes.
        process.environment = ProcessInfo.processInfo.environment.merging(["LLVM_PROFILE_FILE": "/dev/null"]) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        pid = process.processIdentifier
        var output = ""
        while !output.contains("\nport ") || !output.hasSuffix("\n") {
            let chunk = pipe.fileHandleForReading.availableData
            if chunk.isEmpty { break }
            output += String(decoding: chunk, as: UTF8.self)
        }
        let lines = Dictionary(
            uniqueKeysWithValues: output.split(separator: "\n").compactMap { line -> (Substring, Substring)? in
                let parts = line.split(separator: " ")
                return parts.count == 2 ? (parts[0], parts[1]) : nil
            })
        port = try #require(lines["port"].flatMap { UInt16($0) }, "the host did not start: \(output)")
        account = RESTGateway.Account(
            terminalID: HostBench.terminalID, apiKey: SecretBytes(try #require(lines["key"]).utf8))
    }

    var address: GatewayAddress {
        get throws { try GatewayAddress("http://127.0.0.1:\(port)/merchant") }
    }

    /// Returns when the process is gone, and its vault free.
    func kill() {
        guard Foundation.kill(pid, SIGKILL) == 0 else { return }
        // The kernel ends it at once; ten seconds are for a machine that swaps.
        for _ in 0..<10_000 {
            if Foundation.kill(pid, 0) != 0 || isOver { return }
            usleep(1000)
        }
        Issue.record("the host is still there after SIGKILL")
    }

    /// Nothing of it runs any more, and its parent has not asked yet. The first thread may have
    /// ended long before the others, which hold the vault.
    private var isOver: Bool {
        guard let status = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else { return true }
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")) ?? []
        return String(decoding: status, as: UTF8.self).contains(") Z ") && threads.count <= 1
    }
}

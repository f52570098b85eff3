import BenchHost
import Bytes
import CardCapture
import Foundation
import JSONDocument
import PaymentDoubles
import PaymentTerminal
import Testing
import WorldNet

@testable import Gateways

/// Statuses that somebody between terminal and gateway makes up. Final is only the gateway's own
/// error document.
@Suite struct StrayStatusTests {
    /// `stray_status.py` before a port.
    private final class StrayProxy: Sendable {
        let port: UInt16
        private let process: Process
        private let input = Pipe()

        init(_ upstream: UInt16, status: Int, method: String, part: String, count: Int = 1) throws {
            let script = try #require(Bundle.module.url(forResource: "stray_status", withExtension: "py"))
            let output = Pipe()
            process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [
                "python3", script.path(percentEncoded: false), "\(upstream)", "\(status)", method, part, "\(count)",
            ]
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            port = try #require(UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines)))
        }

        deinit { process.terminate() }
    }

    private func terminal(_ host: any PaymentHost, _ journal: any TransactionJournal = MemoryJournal()) -> Terminal {
        var configuration = Terminal.Configuration(
            merchantName: "Corner Shop", terminalID: HostBench.terminalID, currency: .euro, mode: .test)
        configuration.mode = .test
        configuration.limits.retry = .seconds(3600)
        configuration.offline.deferredAuthorization = [.keyed]
        return Terminal(configuration: configuration, host: host, journal: journal.reopened) {
            Timestamp(secondsSince1970: 1_773_057_909)
        }
    }

    private func sale() throws -> Sale {
        Sale(orderID: OrderID("o1"), amount: try Money(parsing: "12.34 EUR"), source: .keyed(try details(), cvv: nil))
    }

    @Test(
        "A reversal is not given up for a bare status: it goes out again",
        arguments: [400, 403, 404, 405, 413, 422, 501, 503])
    func reversal(_ status: Int) async throws {
        let bench = try await HostBench()
        let proxy = try StrayProxy(try await bench.serve(), status: status, method: "PATCH", part: "/reverse")
        let terminal = terminal(try bench.rest(proxy.port))
        #expect(try await terminal.processSale(sale()).outcome == .approved)
        #expect(try await terminal.reverse(OrderID("o1")).reversal == .pending)
        #expect(try await terminal.recoverPending().map(\.reversal) == [.performed])
        #expect(try await bench.host.transactions(TransactionQuery()).map(\.state) == [.reversed])
    }

    @Test(
        "A stored payment is not given up for a bare status, and its card is kept until the gateway answers",
        arguments: [400, 404, 413, 501])
    func storedPayment(_ status: Int) async throws {
        let bench = try await HostBench()
        let port = try await bench.serve()
        let journal = MemoryJournal()
        // Nobody listens at port 1.
        let away = terminal(try bench.rest(1), journal)
        #expect(try await away.processSale(sale()).outcome == .storedOffline)
        let proxy = try StrayProxy(port, status: status, method: "POST", part: "/transaction/payments")
        let terminal = terminal(try bench.rest(proxy.port), journal)
        #expect(try await terminal.recoverPending().isEmpty)
        #expect(await terminal.pendingPayments.map(\.outcome) == [.storedOffline])
        #expect(try await terminal.recoverPending().map(\.outcome) == [.approved])
    }

    @Test(
        "A bare status in answer to a payment leaves its outcome open: the host is asked",
        arguments: [403, 404, 422, 500])
    func payment(_ status: Int) async throws {
        let bench = try await HostBench()
        let proxy = try StrayProxy(
            try await bench.serve(), status: status, method: "POST", part: "/transaction/payments")
        let response = try await terminal(try bench.rest(proxy.port)).processSale(sale())
        #expect(response.outcome == .reversed(.noHostAnswer), "it never arrived, and cannot arrive any more")
    }

    @Test("Over XML, too", arguments: [404, 405, 500]) func xml(_ status: Int) async throws {
        let bench = try await HostBench()
        let proxy = try StrayProxy(try await bench.serve(), status: status, method: "POST", part: "/xmlpayment")
        #expect(
            try await code { _ = try await bench.xml(proxy.port).authorize(request("o1", "10.00", keyed())) }
                == .failed(.noAnswer))
    }

    @Test("An XML gateway that is out of order once is not without extensions for ever", arguments: [404, 503])
    func options(_ status: Int)
        async throws
    {
        let bench = try await HostBench()
        let proxy = try StrayProxy(try await bench.serve(), status: status, method: "OPTIONS", part: "/xmlpayment")
        let gateway = try bench.xml(proxy.port)
        #expect(
            try await code { _ = try await gateway.status(of: OrderID("o1")) }
                == (status == 503 ? .failed(.unreachable) : .failed(.internalError)))
        guard case .notSeen = try await gateway.status(of: OrderID("o1")) else {
            Issue.record("no extensions")
            return
        }
    }

    @Test(
        "A reversal over XML is not given up where OPTIONS is answered by another: it goes out again",
        arguments: [200, 400, 404, 405, 501])
    func reversalOverXML(_ status: Int) async throws {
        let bench = try await HostBench()
        let port = try await bench.serve()
        let journal = MemoryJournal()
        #expect(try await terminal(try bench.xml(port), journal).processSale(sale()).outcome == .approved)
        // In the next process, which does not know yet that the host marks its answers.
        let proxy = try StrayProxy(port, status: status, method: "OPTIONS", part: "/xmlpayment")
        let terminal = terminal(try bench.xml(proxy.port), journal)
        #expect(try await terminal.reverse(OrderID("o1")).reversal == .pending)
        #expect(try await terminal.recoverPending().map(\.reversal) == [.performed])
        #expect(try await bench.host.transactions(TransactionQuery()).map(\.state) == [.reversed])
    }

    @Test("A refund over XML that went out without its order id is not looked up by it: the host would not know it")
    func unnamedRefund() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve()
        let sale = try await bench.xml(port).authorize(request("o1", "10.00", keyed()))
        let proxy = try StrayProxy(port, status: 405, method: "OPTIONS", part: "/xmlpayment", count: 3)
        let gateway = try bench.xml(proxy.port)
        let refund = try ReferencedRequest(
            orderID: OrderID("o2"), original: sale.uniqueReference, amount: Money(parsing: "10.00 EUR"),
            timestamp: Timestamp(secondsSince1970: 1_773_057_909), terminalID: HostBench.terminalID)
        #expect(try await gateway.refund(refund).issuer.responseCode == "00")
        #expect(try await gateway.knowsReferencedRequestsByOrder())
        #expect(try await code { _ = try await gateway.status(of: refund.orderID) } == .refused(.notSupported))
        let reversal = Advice(orderID: refund.orderID, result: .reversed(.noHostAnswer))
        #expect(try await code { try await gateway.advise(reversal) } == .refused(.notSupported))
        guard case .decided = try await gateway.status(of: OrderID("o1")) else {
            Issue.record("the sale has an order id")
            return
        }
    }

    @Test("An XML gateway counts as without extensions after three answers in ten minutes that name none")
    func answers() {
        let start = ContinuousClock.now
        var extensions = XMLExtensions.unknown
        #expect(extensions.areThere(at: start) == nil)
        extensions.missed(at: start)
        extensions.missed(at: start + .seconds(1))
        #expect(extensions.areThere(at: start + .seconds(700)) == nil, "twice")
        extensions.missed(at: start + .seconds(599))
        #expect(extensions.areThere(at: start + .seconds(599)) == nil, "too soon")
        #expect(extensions.areThere(at: start + .seconds(600)) == false)
        #expect(XMLExtensions.named.areThere(at: start) == true)
    }

    @Test("An answer without an order id belongs to no order") func noOrder() throws {
        var answer = try #require(try? JSON(parsing: Array(Self.approval.utf8)))
        #expect(
            try AuthorizationResponse(answer: answer, orderID: OrderID("o1"), requested: nil).uniqueReference == "U1")
        for order in [#""order": {"totalAmount": 10.00}"#, #""order": {"orderId": "o2"}"#] {
            answer = try JSON(parsing: Array(Self.approval.replacing(#""order": {"orderId": "o1"}"#, with: order).utf8))
            #expect(throws: HostError.self) {
                try AuthorizationResponse(answer: answer, orderID: OrderID("o1"), requested: nil)
            }
        }
    }

    private static let approval = """
        {"uniqueReference": "U1", "order": {"orderId": "o1"}, "transactionResult": {"status": "READY", "resultCode": "A",
         "currency": "EUR", "authorizedAmount": 10.00, "approvalCode": "123456", "resultMessage": "APPROVAL"}}
        """
}

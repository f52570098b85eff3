import BenchIPG
import Foundation
import Gateways
import IPG
import OpenSSLKeys
import PaymentTerminal
import Synchronization
import Testing
import WebShopGateways

@Suite("The iCard gateway over a bad line") struct IPGClientTests {
    @Test("a refund, a question and a reversal", arguments: SignatureGeneration.allCases)
    func operations(_ generation: SignatureGeneration) async throws {
        let lane = try Lane(generation)
        let (order, delivery) = try await lane.pay("A-1")
        await lane.notify(delivery)
        let reference = try #require(lane.charge(order)?.reference)
        #expect(try await lane.client.status(of: order).state == .completed)
        let refund = try await lane.client.refund(reference, "4.00 EUR", orderID: #require(IPGOrderID("R-1")))
        #expect(refund.isGood)
        #expect(lane.charge(order)?.refunded == 400)
        let (second, next) = try await lane.pay("A-2")
        await lane.notify(next)
        let reversal = try await lane.client.reverse(#require(lane.charge(second)?.reference), orderID: second)
        #expect(reversal.isGood)
        #expect(lane.charge(second)?.state == .reversed)
    }

    @Test("a refund whose answer is lost is repeated under its id, and paid back once")
    func lostRefund() async throws {
        let lane = try Lane(.sorted)
        let (order, _) = try await lane.pay("A-1")
        let reference = try #require(lane.charge(order)?.reference)
        let refund = try #require(IPGOrderID("R-1"))
        lane.network.faults.withLock { $0 = [.loseAnswer, .loseRequest] }
        for _ in 0..<2 {
            await #expect { try await lane.client.refund(reference, "4.00 EUR", orderID: refund) } throws: {
                ($0 as? HostError)?.code == .failed(.noAnswer)
            }
        }
        #expect(try await lane.client.status(of: refund).state == .completed)
        let again = try await lane.client.refund(reference, "4.00 EUR", orderID: refund)
        #expect(again.code.rawValue == 9019)
        lane.network.faults.withLock { $0 = [.double] }
        _ = try await lane.client.refund(reference, "1.00 EUR", orderID: #require(IPGOrderID("R-2")))
        #expect(lane.charge(order)?.refunded == 500)
    }

    @Test(
        "answers that are not the gateway's say nothing about the request",
        arguments: [
            (BenchNetwork.Fault.answer(status: 200, body: "<html>sign in</html>"), HostError.Failure.answerNotGenuine),
            (.answer(status: 200, body: ""), .answerNotGenuine),
            (.answer(status: 200, body: "{\"method\":\"IPGRefund\",\"status\":0}"), .answerNotGenuine),
            (.answer(status: 302, body: ""), .noAnswer), (.answer(status: 502, body: "x"), .noAnswer),
            (.unreachable, .unreachable),
        ])
    func strangers(_ fault: BenchNetwork.Fault, _ failure: HostError.Failure) async throws {
        let lane = try Lane(.sorted)
        let (order, _) = try await lane.pay("A-1")
        let reference = try #require(lane.charge(order)?.reference)
        lane.network.faults.withLock { $0 = [fault] }
        await #expect {
            try await lane.client.refund(reference, "4.00 EUR", orderID: #require(IPGOrderID("R-1")))
        } throws: {
            ($0 as? HostError)?.code == .failed(failure)
        }
    }

    @Test("4.5: settling finds a charge that was never told, and reverses one that nobody wants")
    func settles() async throws {
        let lane = try Lane(.sorted)
        let (untold, _) = try await lane.pay("A-1")
        let (unwanted, _) = try await lane.pay("A-2")
        _ = await lane.merchant.abandon(unwanted)
        // The first question about each is lost, then the answer to the reversal.
        lane.network.faults.withLock { $0 = [.loseRequest, .unreachable] }
        let first = try await lane.client.settle(lane.merchant)
        #expect(first.failures.count == 2)
        #expect(first.changes.isEmpty)
        lane.network.faults.withLock { $0 = [] }
        let second = try await lane.client.settle(lane.merchant)
        #expect(second.failures.isEmpty)
        guard case .succeeded(let payment)? = try await lane.merchant.journal.order(untold)?.state else {
            throw Lane.Unpaid()
        }
        #expect(payment.reference == lane.charge(untold)?.reference)
        #expect(lane.charge(unwanted)?.state == .reversed)
        #expect(try await lane.merchant.journal.unsettled().isEmpty)
    }

    @Test("a reversal whose answer is lost stays due, and is settled by the next") func lostReversal() async throws {
        let lane = try Lane(.sorted)
        let (order, delivery) = try await lane.pay("A-1")
        _ = await lane.merchant.abandon(order)
        await lane.notify(delivery)
        #expect(try await lane.merchant.journal.order(order)?.dueReversals.count == 1)
        lane.network.faults.withLock { $0 = [.loseRequest] }
        _ = try await lane.client.settle(lane.merchant)
        let reference = try #require(lane.charge(order)?.reference)
        lane.network.faults.withLock { $0 = [.loseAnswer] }
        await #expect(throws: HostError.self) { try await lane.client.reverse(reference, orderID: order) }
        #expect(lane.charge(order)?.state == .reversed)
        _ = try await lane.client.settle(lane.merchant)
        #expect(try await lane.merchant.journal.unsettled().isEmpty)
    }

    @Test("before 4.5 a shop that asks for its successes learns of a rollback that was lost") func rollback()
        async throws
    {
        let lane = try Lane(.urlEncoded)
        let (order, delivery) = try await lane.pay("A-1")
        _ = await lane.merchant.handle(delivery.body)
        lane.network.gateway.withLock {
            _ = $0.answered(delivery.id, status: nil, body: [], now: BenchNetwork.now)
        }
        let settlement = try await lane.client.settle(lane.merchant, succeeded: [order])
        #expect(settlement.changes.map(\.news) == [.rolledBack])
    }

    @Test("what Python's HTTP server receives") func overHTTP() async throws {
        let server = Process()
        server.executableURL = URL(filePath: "/usr/bin/python3")
        server.arguments = [
            "-c",
            """
            import sys, http.server, urllib.parse
            class Handler(http.server.BaseHTTPRequestHandler):
                def do_POST(self):
                    body = self.rfile.read(int(self.headers['Content-Length'])).decode()
                    form = urllib.parse.parse_qs(body, strict_parsing=True)
                    line = [self.path, self.headers['Content-Type'], form['IPGmethod'][0], form['OrderID'][0]]
                    print(*line, flush=True)
                    self.send_response(200)
                    self.send_header('Content-Length', '2')
                    self.end_headers()
                    self.wfile.write(b'{}')
                def log_message(self, *arguments): pass
            server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
            print(server.server_port, flush=True)
            server.handle_request()
            """,
        ]
        let output = Pipe()
        server.standardOutput = output
        try server.run()
        defer { server.terminate() }
        let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            .trimmingCharacters(in: .newlines)
        let client = try IPGClient(
            GatewayAddress("http://127.0.0.1:\(port)/sandbox/"), account: Lane(.sorted).client.account)
        await #expect { try await client.status(of: #require(IPGOrderID("A & 1"))) } throws: {
            ($0 as? HostError)?.code == .failed(.answerNotGenuine)
        }
        let received = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            .trimmingCharacters(in: .newlines)
        #expect(received == "/sandbox/ application/x-www-form-urlencoded IPGGetTxnStatus A & 1")
    }
}

import BenchHost
import Bytes
import FaultProxy
import Foundation
import Gateways
import Glibc
import PaymentTerminal
import Testing

@testable import BenchHostServer

@Suite(.timeLimit(.minutes(2))) struct ServerLimitsTests {
    private static let options = "OPTIONS /merchant/xmlpayment HTTP/1.1\r\nHost: bench\r\n"

    @Test("a body that comes byte by byte does not hold its connection for ever") func trickle() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.limits.exchange = .seconds(2) }
        let client = try RawClient(port)
        client.send("POST /merchant/xmlpayment HTTP/1.1\r\nHost: bench\r\nContent-Length: 100000\r\n\r\n")
        #expect(await client.trickleUntilClosed(every: 100) == "", "no answer to half a request")
    }

    @Test("a head that comes byte by byte does not hold its connection for ever") func trickledHead() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.limits.idle = .seconds(2) }
        let client = try RawClient(port)
        client.send(Self.options + "X: ")
        #expect(await client.trickleUntilClosed(every: 100) == "")
    }

    @Test("a body without end is refused, and its connection closed") func endless() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.limits.exchange = .seconds(2) }
        let client = try RawClient(port)
        client.send("POST /elsewhere HTTP/1.1\r\nHost: bench\r\nTransfer-Encoding: chunked\r\n\r\n")
        #expect(await client.trickleUntilClosed(every: 20, "1\r\nx\r\n") == "")
        let large = try RawClient(port)
        large.send("POST /merchant/xmlpayment HTTP/1.1\r\nHost: bench\r\nContent-Length: 70000\r\n\r\n")
        large.send(String(repeating: "x", count: 70_000))
        #expect(await large.answer().hasPrefix("HTTP/1.1 413 "))
        large.send(Self.options + "\r\n")
        #expect(await large.answer().hasPrefix("HTTP/1.1 204 "), "the next request of the connection is read")
    }

    @Test("a trickling client does not hold up the end of the server") func end() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve {
            $0.limits.ending = .milliseconds(200)
            $0.limits.exchange = .seconds(3600)
            $0.limits.idle = .seconds(3600)
        }
        let clients = [try RawClient(port), try RawClient(port), try RawClient(port)]
        clients[0].send("POST /merchant/xmlpayment HTTP/1.1\r\nHost: bench\r\nContent-Length: 100000\r\n\r\n")
        clients[1].send(Self.options + "X: ")
        clients[2].send(Self.options + "\r\n")
        #expect(await clients[2].answer().hasPrefix("HTTP/1.1 204 "))
        // The server has the others' beginnings, which were sent before.
        async let ended: Void = bench.end()
        for client in clients[0...1] { #expect(await client.trickleUntilClosed(every: 50) == "") }
        try await ended
    }

    @Test("headers without end are refused", arguments: [(1, 20_000), (1000, 1)])
    func headers(_ count: Int, _ length: Int) async throws {
        let bench = try await HostBench()
        let client = try RawClient(try await bench.serve())
        client.send(Self.options)
        for index in 0..<count { client.send("X\(index): \(String(repeating: "x", count: length))\r\n") }
        client.send("\r\n")
        #expect(await client.answer().hasPrefix("HTTP/1.1 400 "))
    }

    @Test("connections beyond the limit wait until one is closed") func connections() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.limits.connections = 1 }
        let first = try RawClient(port)
        first.send(Self.options + "\r\n")
        #expect(await first.answer().hasPrefix("HTTP/1.1 204 "))
        let second = try RawClient(port)
        second.send(Self.options + "\r\n")
        #expect(await !second.hasAnswer(within: 300))
        first.close()
        #expect(await second.answer().hasPrefix("HTTP/1.1 204 "))
    }

    @Test("only the terminal that sends too many requests gets status 429") func requestRate() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.limits.requests = ServerLimits.Rate(perSecond: 0, burst: 3) }
        let xml = try bench.xml(port)
        for order in ["o1", "o2", "o3"] { _ = try await xml.authorize(request(order, "10.00", keyed())) }
        let refused = try await code { _ = try await xml.authorize(request("o4", "10.00", keyed())) }
        #expect(refused != nil && refused != .refused(.orderAlreadyProcessed))
        #expect(try await bench.host.transactions(TransactionQuery()).count == 3)
        #expect(bench.log.text.contains("too many requests: 429"))
        let other = try await bench.otherTerminal(port)
        _ = try await other.xml.authorize(request("o5", "10.00", keyed(), terminalID: "OTHER"))
    }

    @Test("an address that guesses is not listened to any more") func guesses() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.limits.refusals = ServerLimits.Rate(perSecond: 0, burst: 2) }
        let client = try RawClient(port)
        let guess = "GET /merchant/api/v1/account/authenticate HTTP/1.1\r\nHost: bench\r\nAuthorization: Basic guess\r\n\r\n"
        for status in [401, 401, 429] {
            client.send(guess)
            #expect(await client.answer().hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test("requests of strangers do not push out what is remembered of a terminal's") func rememberedReplies() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.limits.refusals = nil }
        let token = try await bench.token(port)
        let client = try RawClient(port)
        let own = "PATCH /merchant/api/v1/transaction/orders/o1/reverse HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer"
        let body = "CardPresent-Request: m1\r\nContent-Length: 0\r\n\r\n"
        client.send("\(own) \(token)\r\n\(body)")
        #expect(await client.answer().hasPrefix("HTTP/1.1 200 "))
        for number in 0..<300 {
            client.send("\(own) \(number)\r\n\(body)")
            #expect(await client.answer().hasPrefix("HTTP/1.1 401 "))
        }
        #expect(bench.log.text.components(separatedBy: "orders/:order/reverse: 200").count == 2)
        client.send("\(own) \(token)\r\n\(body)")
        #expect(await client.answer().hasPrefix("HTTP/1.1 200 "), "the same answer")
        await bench.revokeTokens()
        client.send("\(own) \(token)\r\n\(body)")
        #expect(await client.answer().hasPrefix("HTTP/1.1 401 "), "nothing is remembered for whoever may not ask any more")
    }

    @Test("an API key has so many tokens, and the oldest goes first") func tokens() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.limits.tokens = 2 }
        let tokens = [try await bench.token(port), try await bench.token(port), try await bench.token(port)]
        let client = try RawClient(port)
        for (token, status) in zip(tokens, [401, 200, 200]) {
            client.send(
                "GET /merchant/api/v1/account/terminals/BENCH001 HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer \(token)\r\n\r\n")
            #expect(await client.answer().hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test("a rate fills up again with time, up to its burst, and for each sender") func rate() {
        let clock = TestClock()
        let rate = RateLimit(ServerLimits.Rate(perSecond: 2, burst: 3), now: { clock.now })
        #expect((0..<4).map { _ in rate.count("a") } == [true, true, true, false])
        #expect(rate.count("b") && !rate.hasRoom(for: "a"))
        clock.pass(.milliseconds(500))
        #expect((0..<2).map { _ in rate.count("a") } == [true, false])
        clock.pass(.seconds(3600))
        #expect((0..<4).map { _ in rate.count("a") } == [true, true, true, false])
        clock.pass(.milliseconds(1))
        for number in 0..<RateLimit.capacity { #expect(rate.count("other \(number)")) }
        #expect(rate.count("a"), "forgotten, as the one that was quiet for longest")
    }
}

/// A clock that a test moves.
private final class TestClock: @unchecked Sendable {
    private(set) var now = ContinuousClock.now
    func pass(_ duration: Duration) { now += duration }
}

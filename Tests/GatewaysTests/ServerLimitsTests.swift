import BenchHost
import Bytes
import CardCapture
import FaultProxy
import Foundation
import Gateways
import Glibc
import HTTPService
import PaymentTerminal
import Testing

@testable import BenchHostServer

@Suite(.timeLimit(.minutes(20))) struct ServerLimitsTests {
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
        #expect(refused == .failed(.unreachable), "nothing happened: it may be repeated")
        #expect(try await bench.host.transactions(TransactionQuery()).count == 3)
        #expect(bench.log.text.contains("too many requests: 429"))
        let other = try await bench.otherTerminal(port)
        _ = try await other.xml.authorize(request("o5", "10.00", keyed(), terminalID: "OTHER"))
    }

    @Test("the REST client repeats nothing by itself after 429, and takes the payment for not made") func restRate()
        async throws
    {
        let bench = try await HostBench()
        // The token is the first request.
        let port = try await bench.serve { $0.limits.requests = ServerLimits.Rate(perSecond: 0, burst: 2) }
        let rest = try bench.rest(port)
        _ = try await rest.authorize(request("o1", "10.00", keyed()))
        #expect(
            try await code { _ = try await rest.authorize(request("o2", "10.00", keyed())) } == .failed(.unreachable))
        #expect(try await code { _ = try await rest.settings() } == .failed(.unreachable))
        #expect(try await bench.host.transactions(TransactionQuery()).map(\.orderID.text) == ["o1"])
    }

    @Test("a copy of a request gets its answer also beyond the rate") func copiesBeyondTheRate() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.limits.requests = ServerLimits.Rate(perSecond: 0, burst: 2) }
        let token = try await bench.token(port)
        let client = try RawClient(port)
        for (mark, status) in [("m1", 200), ("m1", 200), ("m2", 429), ("m2", 429), ("m1", 200)] {
            client.send(
                """
                PATCH /merchant/api/v1/transaction/orders/o1/reverse HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer \(token)\r
                CardPresent-Request: \(mark)\r\nContent-Length: 0\r\n\r\n
                """)
            #expect(await client.answer().hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test("requests at once are within the rate together") func rateAtOnce() async {
        let rate = RateLimit(ServerLimits.Rate(perSecond: 0, burst: 20_000))
        let within = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { (0..<10_000).reduce(0) { count, _ in count + (rate.count("key") ? 1 : 0) } }
            }
            return await group.reduce(0, +)
        }
        #expect(within == 20_000)
    }

    @Test("guesses do not keep a till at the same address from being served") func guessesBeside() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.limits.refusals = ServerLimits.Rate(perSecond: 0, burst: 1) }
        let client = try RawClient(port)
        for status in [401, 429, 429] {
            client.send("GET /merchant/api/v1/transaction/transactions HTTP/1.1\r\nHost: bench\r\n\r\n")
            #expect(await client.answer().hasPrefix("HTTP/1.1 \(status) "))
        }
        #expect(try await bench.rest(port).authorize(request("o1", "10.00", keyed())).issuer.responseCode == "00")
        #expect(try await bench.xml(port).authorize(request("o2", "10.00", keyed())).issuer.responseCode == "00")
    }

    /// What a client sends that shows no credentials.
    private static let strangers = [
        "the beginning of a head": options,
        "a head without its body": "POST /merchant/xmlpayment HTTP/1.1\r\nHost: bench\r\nContent-Length: 10\r\n\r\n",
        "what anybody may ask": options + "\r\n",
        "a guess":
            "GET /merchant/api/v1/transaction/transactions HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer x\r\n\r\n",
        "what is not there": "GET / HTTP/1.1\r\nHost: bench\r\n\r\n",
    ]

    @Test("connections without valid credentials leave room for those with them", arguments: strangers.keys.sorted())
    func unproven(_ what: String) async throws {
        let bench = try await HostBench()
        let port = try await bench.serve {
            $0.limits.unproven = 8
            $0.limits.connections = 16
            $0.limits.head = .seconds(3600)
            $0.limits.idle = .seconds(3600)
            $0.limits.exchange = .seconds(3600)
        }
        let text = try #require(Self.strangers[what])
        let till = try RawClient(port)
        let token = try await bench.token(port)
        let own =
            "GET /merchant/api/v1/account/terminals/BENCH001 HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer \(token)\r\n\r\n"
        till.send(own)
        #expect(await till.answer().hasPrefix("HTTP/1.1 200 "))
        var strangers: [RawClient] = []
        for _ in 0..<30 {
            let client = try RawClient(port)
            client.send(text)
            strangers.append(client)
        }
        #expect(try await bench.xml(port).authorize(request("o1", "10.00", keyed())).issuer.responseCode == "00")
        till.send(own)
        #expect(await till.answer().hasPrefix("HTTP/1.1 200 "), "a till's connection stays")
        // The oldest is closed.
        _ = await strangers[0].trickleUntilClosed(every: 50, "")
    }

    @Test("an address with many connections without credentials closes none of another's") func addresses() async throws
    {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.limits.unproven = 8 }
        let first = try RawClient(port, host: 2)
        first.send(Self.options)
        var strangers: [RawClient] = []
        for _ in 0..<30 { strangers.append(try RawClient(port, host: 3)) }
        _ = await strangers[0].trickleUntilClosed(every: 50, "")
        first.send("\r\n")
        #expect(await first.answer().hasPrefix("HTTP/1.1 204 "))
    }

    @Test("the first head of a connection has a time of its own") func firstHead() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve {
            $0.limits.head = .milliseconds(300)
            $0.limits.idle = .seconds(3600)
        }
        let client = try RawClient(port)
        client.send(Self.options + "X: ")
        #expect(await client.trickleUntilClosed(every: 50) == "")
        let other = try RawClient(port)
        other.send(Self.options + "\r\n")
        #expect(await other.answer().hasPrefix("HTTP/1.1 204 "))
        #expect(await !other.hasAnswer(within: 600), "an idle connection is another matter")
    }

    @Test("a client is told nothing of the vault; the log has the reason under the identifier that it is given")
    func failures()
        async throws
    {
        let bench = try await HostBench()
        let port = try await bench.serve()
        let token = try await bench.token(port)
        try bench.host.close()
        let client = try RawClient(port)
        client.send(
            "GET /merchant/api/v1/transaction/transactions?terminal=BENCH001 HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer \(token)\r\n\r\n"
        )
        let answer = await client.answer()
        #expect(answer.hasPrefix("HTTP/1.1 500 "))
        for inner in ["vault", "SQLite", bench.folder] { #expect(!answer.contains(inner)) }
        let identifier = try #require(answer.firstMatch(of: /"debugIdentifier":"([0-9a-f]{16})"/)).1
        #expect(bench.log.text.contains("\(identifier): the database of vault \(bench.folder)"))
        let error = await #expect(throws: HostError.self) {
            try await bench.xml(port).authorize(request("o1", "10.00", keyed()))
        }
        #expect(error?.code == .failed(.noAnswer))
        for inner in ["vault", "SQLite", bench.folder] { #expect(error?.message.contains(inner) == false) }
    }

    @Test("an address that guesses is not listened to any more") func guesses() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.limits.refusals = ServerLimits.Rate(perSecond: 0, burst: 2) }
        let client = try RawClient(port)
        let guess =
            "GET /merchant/api/v1/account/authenticate HTTP/1.1\r\nHost: bench\r\nAuthorization: Basic guess\r\n\r\n"
        for status in [401, 401, 429] {
            client.send(guess)
            #expect(await client.answer().hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test("requests of strangers do not push out what is remembered of a terminal's") func rememberedReplies()
        async throws
    {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.limits.refusals = nil }
        let token = try await bench.token(port)
        let client = try RawClient(port)
        let own =
            "PATCH /merchant/api/v1/transaction/orders/o1/reverse HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer"
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
        #expect(
            await client.answer().hasPrefix("HTTP/1.1 401 "), "nothing is remembered for whoever may not ask any more")
    }

    @Test("an API key has so many tokens, and the oldest goes first") func tokens() async throws {
        let bench = try await HostBench()
        let port = try await bench.serve { $0.limits.tokens = 2 }
        let tokens = [try await bench.token(port), try await bench.token(port), try await bench.token(port)]
        let client = try RawClient(port)
        for (token, status) in zip(tokens, [401, 200, 200]) {
            client.send(
                "GET /merchant/api/v1/account/terminals/BENCH001 HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer \(token)\r\n\r\n"
            )
            #expect(await client.answer().hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test("a rate fills up again with time, up to its burst, and for each sender") func rate() {
        let clock = TestClock()
        let rate = RateLimit(ServerLimits.Rate(perSecond: 2, burst: 3), now: { clock.now })
        #expect((0..<4).map { _ in rate.count("a") } == [true, true, true, false])
        #expect(rate.count("b"))
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

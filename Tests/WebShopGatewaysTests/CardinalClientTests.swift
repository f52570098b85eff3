import BenchThreeDSecure
import Bytes
import FormDocument
import Gateways
import PaymentTerminal
import Synchronization
import Testing
import ThreeDSecure
import WebShopGateways
import XMLDocument

@Suite("Cardinal over a bad line") struct CardinalClientTests {
    private static let key = "11111111-2222-3333-4444-555555555555"
    private static let now: Int64 = 1_700_000_000

    /// A line with the bench's Cardinal behind it.
    private final class Line: HTTPNetwork, HTTPTransport {
        let bench: Mutex<BenchCardinal>
        let urls = Mutex<[String]>([])
        let answers = Mutex<[HTTPResponse?]>([])

        init(_ bench: BenchCardinal) { self.bench = Mutex(bench) }

        func connect() -> any HTTPTransport { self }
        func close() {}

        func answer(to request: HTTPRequest, limit: Int) async throws(HTTPTransportError) -> HTTPResponse {
            urls.withLock { $0.append(request.url) }
            let strays = answers.withLock { answers in
                defer { answers = Array(answers.dropFirst()) }
                return Array(answers.prefix(1))
            }
            for stray in strays {
                guard let stray else { throw .noAnswer(.timeout) }
                return stray
            }
            guard let form = try? FormFields(parsing: request.body?.revealed() ?? []),
                let message = try? XMLElement(parsing: Array((form["cmpi_msg"] ?? "").utf8))
            else { return HTTPResponse(status: 400, headers: [], body: []) }
            let answer = bench.withLock { $0.answer(message) }
            return HTTPResponse(status: 200, headers: [], body: answer.document)
        }
    }

    @Test("a lookup, a challenge and its result; answers that are not Cardinal's") func wholeWay() async throws {
        let account = try CardinalAccount(identifier: "i", organization: "o", key: SecretBytes(Self.key.utf8))
        let line = Line(BenchCardinal(identifier: "i", organization: "o", key: SecretBytes(Self.key.utf8)))
        let client = CardinalClient(
            try GatewayAddress("https://cardinal.example/maps/txns.asp"), account: account,
            options: ConnectionOptions(), over: line)
        let token = account.serverToken(
            TokenRequest(id: "r", orderNumber: "A-1", amount: "23.45 EUR"), now: Self.now)
        let session = try line.bench.withLock { try $0.setUp(token, now: Self.now).get() }
        let card = try CardDetails(
            pan: SecretBytes("4000000000001091".utf8), expiry: #require(ExpiryDate(mmyy: "0130")))
        let request = LookupRequest(
            orderNumber: "A-1", amount: "23.45 EUR", card: card, channel: .app(referenceID: session))
        let strays: [(HTTPResponse?, HostError.Failure)] = [
            (nil, .noAnswer), (HTTPResponse(status: 503, headers: [], body: []), .noAnswer),
            (HTTPResponse(status: 200, headers: [], body: Array("<html/>".utf8)), .answerNotGenuine),
        ]
        for (stray, failure) in strays {
            line.answers.withLock { $0 = [stray] }
            await #expect { try await client.lookUp(request, now: 1000 * Self.now) } throws: {
                ($0 as? HostError)?.code == .failed(failure)
            }
        }
        let lookup = try await client.lookUp(request, now: 1000 * Self.now)
        #expect(lookup.values.status == .challenge)
        let id = try #require(lookup.transactionID)
        _ = line.bench.withLock { $0.reply(id, $0.rightReply, now: Self.now) }
        let result = try await client.authenticate(id, now: 1000 * Self.now)
        #expect(result.values.status == .authenticated)
        #expect(result.values.authenticationValue != nil)
        #expect(line.urls.withLock { Set($0) } == ["https://cardinal.example/maps/txns.asp"])
    }
}

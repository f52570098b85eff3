import Bytes
import CardCapture
import Gateways
import PaymentTerminal
import Synchronization
import Testing

/// A system on the way may answer a request with status 401 that the gateway has carried out, because the network sent it twice.
@Suite("A status 401 of another system does not undo a payment") struct StrayUnauthorizedTests {
    private func gateway(_ network: ScriptedNetwork) throws -> RESTGateway {
        try RESTGateway(
            try GatewayAddress("https://gateway.example"), account: RESTGateway.Account(terminalID: "T1", apiKey: SecretBytes("k".utf8)),
            options: ConnectionOptions(), now: { .now }, network: { network })
    }

    private func error(of call: () async throws -> Void) async -> HostError.Code? {
        await #expect(throws: HostError.self) { try await call() }?.code
    }

    @Test("a payment is unknown if no new token comes") func tokenRefused() async throws {
        let network = ScriptedNetwork(.ok, .stray, .refused)
        let gateway = try gateway(network)
        #expect(await error { _ = try await gateway.authorize(request("o1", "10.00", keyed())) } == .failed(.noAnswer))
        #expect(network.paths == ["authenticate", "payments", "authenticate"])
    }

    @Test("a payment is unknown if it does not leave a second time") func unreachable() async throws {
        let network = ScriptedNetwork(.ok, .stray, .ok, .away)
        let gateway = try gateway(network)
        #expect(await error { _ = try await gateway.authorize(request("o1", "10.00", keyed())) } == .failed(.noAnswer))
    }

    @Test("a payment is sent again, because the gateway knows its order") func sentAgain() async throws {
        let network = ScriptedNetwork(.ok, .stray, .ok, .taken)
        let gateway = try gateway(network)
        #expect(await error { _ = try await gateway.authorize(request("o1", "10.00", keyed())) } == .refused(.orderAlreadyProcessed))
        #expect(network.paths == ["authenticate", "payments", "authenticate", "payments"])
    }

    @Test("a refund without an order id is sent once") func refund() async throws {
        let network = ScriptedNetwork(.ok, .stray)
        let gateway = try gateway(network)
        #expect(await error { _ = try await gateway.refund(referenced("r1", of: "U1", "1.00")) } == .failed(.noAnswer))
        #expect(network.paths == ["authenticate", "refunds"])
    }

    @Test("what the gateway itself refuses was not carried out: a new token and again") func gatewayRefuses() async throws {
        let network = ScriptedNetwork(.ok, .refused, .ok, .away)
        let gateway = try gateway(network)
        #expect(await error { _ = try await gateway.refund(referenced("r1", of: "U1", "1.00")) } == .failed(.unreachable))
        #expect(network.paths == ["authenticate", "refunds", "authenticate", "refunds"])
    }
}

/// Answers requests in the order of its script.
private final class ScriptedNetwork: HTTPNetwork, HTTPTransport {
    enum Answer {
        /// A token.
        case ok
        /// Status 401 with a page of a proxy.
        case stray
        /// Status 401 with the gateway's error document.
        case refused
        /// Status 422: the order was there before.
        case taken
        /// The connection is refused.
        case away
    }

    private let script: Mutex<[Answer]>
    private let asked = Mutex<[String]>([])

    init(_ answers: Answer...) { script = Mutex(answers) }

    /// The last part of each path, without a query.
    var paths: [String] { asked.withLock { $0 } }

    func connect() -> any HTTPTransport { self }
    func close() {}

    func answer(to request: HTTPRequest, limit: Int) async throws(HTTPTransportError) -> HTTPResponse {
        asked.withLock { $0.append(request.url.split(separator: "/").last.map { String($0) } ?? "") }
        switch script.withLock({ $0.isEmpty ? .away : $0.removeFirst() }) {
        case .ok: return response(200, #"{"token":"t0","tokenType":"Bearer","expiresIn":1}"#)
        case .stray: return response(401, "<html>proxy authentication</html>")
        case .refused: return response(401, #"{"debugIdentifier":"1","details":[{"errorCode":"E01","errorMessage":"token expired"}]}"#)
        case .taken:
            return response(422, #"{"debugIdentifier":"1","details":[{"errorCode":"E99","errorMessage":"Order Already Processed"}]}"#)
        case .away: throw .unreachable(.noConnection)
        }
    }

    private func response(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status: status, headers: [], body: Array(text.utf8))
    }
}

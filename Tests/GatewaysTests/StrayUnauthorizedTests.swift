import Bytes
import CardCapture
import Gateways
import PaymentTerminal
import Synchronization
import Testing

/// A system on the way may answer a request with status 401 that the gateway has carried out,
/// because the network sent it twice.
@Suite("A status 401 of another system does not undo a payment") struct StrayUnauthorizedTests {
    private func gateway(_ network: ScriptedNetwork) throws -> RESTGateway {
        try RESTGateway(
            try GatewayAddress("https://gateway.example"),
            account: RESTGateway.Account(terminalID: "T1", apiKey: SecretBytes("k".utf8)),
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
        #expect(
            await error { _ = try await gateway.authorize(request("o1", "10.00", keyed())) }
                == .refused(.orderAlreadyProcessed))
        #expect(network.paths == ["authenticate", "payments", "authenticate", "payments"])
    }

    @Test(
        "a refusal of the second request says nothing about the first",
        arguments: ["cardRefused", "invalid", "unauthorized"])
    func refusedAfterwards(_ refusal: String) async throws {
        let answer: ScriptedNetwork.Answer =
            switch refusal {
            case "cardRefused": .refusal(422, "CP_CARD_REFUSED")
            case "invalid": .refusal(400, "CP_INVALID_REQUEST")
            default: .refusal(403, "CP_NOT_AUTHORIZED")
            }
        let network = ScriptedNetwork(.ok, .stray, .ok, answer)
        let gateway = try gateway(network)
        #expect(await error { _ = try await gateway.authorize(request("o1", "10.00", keyed())) } == .failed(.noAnswer))
        #expect(network.paths == ["authenticate", "payments", "authenticate", "payments"])
    }

    /// The payment that is reversed, in the list of transactions.
    private static let listed = #"""
        {"data": [{"uniqueReference": "U1", "terminal": "T1", "orderId": "o1", "type": "SALE", "status": "READY", "currency": "EUR",
        "amount": 10.00}]}
        """#

    private static func payment(_ status: String, reference: String = "U1") -> String {
        #"{"uniqueReference": "\#(reference)", "order": {"orderId": "o1"}, "transactionResult": {"type": "SALE", "status": "\#(status)","#
            + #""resultCode": "A", "currency": "EUR", "authorizedAmount": 10.00, "resultMessage": ""}}"#
    }

    @Test(
        "A reversal counts only if the gateway names the payment as reversed",
        arguments: [
            (200, payment("VOID"), nil), (200, payment("REVERSAL"), nil), (200, "{}", .failed(.answerNotGenuine)),
            (204, "", .failed(.answerNotGenuine)), (200, payment("READY"), .failed(.answerNotGenuine)),
            (200, payment("REVERSAL", reference: "U2"), .failed(.answerNotGenuine)),
            (
                200, #"{"debugIdentifier": "1", "details": [{"errorCode": "E01", "errorMessage": "system"}]}"#,
                .failed(.answerNotGenuine)
            ),
            (200, "[]", .failed(.answerNotGenuine)), (202, "null", .failed(.answerNotGenuine)),
        ] as [(Int, String, HostError.Code?)])
    func reversal(_ status: Int, _ document: String, _ code: HostError.Code?) async throws {
        let network = ScriptedNetwork(.ok, .document(200, Self.listed), .document(status, document))
        let gateway = try gateway(network)
        let advice = Advice(orderID: "o1", result: .reversed(.noHostAnswer))
        if let code {
            #expect(await error { try await gateway.advise(advice) } == code)
        } else {
            try await gateway.advise(advice)
        }
    }

    @Test("A payment that is listed and not found is not refused: its reversal stays due") func notFoundYet()
        async throws
    {
        let network = ScriptedNetwork(
            .ok, .document(200, Self.listed), .refusal(404, "NOT_FOUND"), .document(200, Self.listed),
            .refusal(404, "NOT_FOUND"))
        let gateway = try gateway(network)
        #expect(
            await error { try await gateway.advise(Advice(orderID: "o1", result: .reversed(.noHostAnswer))) }
                == .failed(.noAnswer))
        #expect(await error { _ = try await gateway.status(of: "o1") } == .failed(.noAnswer))
    }

    @Test("a refund without an order id is sent once") func refund() async throws {
        let network = ScriptedNetwork(.ok, .stray)
        let gateway = try gateway(network)
        #expect(await error { _ = try await gateway.refund(referenced("r1", of: "U1", "1.00")) } == .failed(.noAnswer))
        #expect(network.paths == ["authenticate", "refunds"])
    }

    @Test("what the gateway itself refuses was not carried out: a new token and again") func gatewayRefuses()
        async throws
    {
        let network = ScriptedNetwork(.ok, .refused, .ok, .away)
        let gateway = try gateway(network)
        #expect(
            await error { _ = try await gateway.refund(referenced("r1", of: "U1", "1.00")) } == .failed(.unreachable))
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
        /// A refusal by the gateway's own error document.
        case refusal(Int, String)
        case document(Int, String)
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
        case .refused:
            return response(
                401, #"{"debugIdentifier":"1","details":[{"errorCode":"E01","errorMessage":"token expired"}]}"#)
        case .taken:
            return response(
                422,
                #"{"debugIdentifier":"1","details":[{"errorCode":"E99","errorMessage":"Order Already Processed"}]}"#)
        case .refusal(let status, let code):
            return response(
                status, #"{"debugIdentifier":"1","details":[{"errorCode":"\#(code)","errorMessage":"refused"}]}"#)
        case .document(let status, let text): return response(status, text)
        case .away: throw .unreachable(.connectionRefused)
        }
    }

    private func response(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status: status, headers: [], body: Array(text.utf8))
    }
}

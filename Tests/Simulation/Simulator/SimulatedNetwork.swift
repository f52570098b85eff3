internal import Gateways
internal import PaymentTerminal

/// What a gateway client speaks over in place of HTTP: its requests and the answers go over the
/// line as they are.
struct SimulatedNetwork: HTTPNetwork {
    let world: World
    let life: Int
    let server: any GatewayServer

    func connect() -> any HTTPTransport { SimulatedConnections(world, life: life, server) }
}

/// The connections to one gateway. What is left over from a request that was doubled on the way is
/// read in place of the answer to the next one, unless each request has a connection of its own.
private final class SimulatedConnections: HTTPTransport, @unchecked Sendable {
    private let world: World
    private let line: Line
    private let server: any GatewayServer
    private var leftOver: HTTPResponse?

    private typealias Answer = Result<HTTPResponse, HTTPTransportError>

    init(_ world: World, life: Int, _ server: any GatewayServer) {
        self.world = world
        self.server = server
        line = Line(world, life: life)
    }

    func answer(to request: HTTPRequest, limit: Int) async throws(HTTPTransportError) -> HTTPResponse {
        let order = server.concernsOrder(request) ? ObservedHost.order : nil
        let isKept = !request.headers.contains { $0.name == "Connection" && $0.value == "close" }
        // What an earlier fault left behind does not outlive the faults.
        if !world.isFaulty { leftOver = nil }
        if isKept, let stale = leftOver {
            leftOver = nil
            world.note("\(Self.name(request)) leaves; the answer to an earlier request is read")
            _ = server.answer(to: request, about: order)
            return stale
        }
        let message = Line.Message<Answer>(
            name: Self.name(request), order: order, canBeDoubled: server.knowsAgain(request),
            act: { [server] answered in answered(.success(server.answer(to: request, about: order))) },
            unavailable: { [world, server] in
                .success(
                    world.draw(.network, "bare", 2) == 1
                        ? HTTPResponse(status: 503, headers: [], body: []) : server.unavailable)
            },
            bareStatus: { [world] in .success(Self.bareStatus(world, wasPassedOn: $0)) }, damaged: { $0.map(Self.cut) },
            unreachable: { _ in .failure(.unreachable(.connectionRefused)) },
            noAnswer: { _ in .failure(.noAnswer(.timeout)) },
            summary: Self.summary,
            endsInTime: true, content: Self.content(request),
            leftOver: { [self] in if isKept, case .success(let response) = $0 { leftOver = response } })
        return try await line.send(message).get()
    }

    func close() {}

    private static func content(_ request: HTTPRequest) -> Line.Content {
        if request.url.contains("/referral?") { return .approvalCode }
        // Over XML it is in the body.
        return request.method == "PATCH" && request.url.contains("/reverse") ? .reversal : .other
    }

    private static func name(_ request: HTTPRequest) -> String {
        "\(request.method) /\(request.url.split(separator: "/", maxSplits: 2).last ?? "")"
    }

    private static func summary(_ answer: Answer) -> String {
        switch answer {
        case .success(let response): "status \(response.status)"
        case .failure(let error): "\(error)"
        }
    }

    private static func bareStatus(_ world: World, wasPassedOn: Bool) -> HTTPResponse {
        // Who asks for credentials of his own passes nothing on.
        let statuses = [502, 400, 403, 404, 405, 413, 501, 503] + (wasPassedOn ? [] : [401])
        let status = statuses[Int(world.draw(.network, "status", UInt64(statuses.count)))]
        return HTTPResponse(
            status: status, headers: [], body: world.draw(.network, "page", 2) == 1 ? Array("<html></html>".utf8) : [])
    }

    private static func cut(_ response: HTTPResponse) -> HTTPResponse {
        HTTPResponse(
            status: response.status, headers: response.headers,
            body: Array(response.body.dropLast(response.body.count / 2 + 1)))
    }
}

internal import Gateways
internal import PaymentTerminal

/// The model host behind an interface of the gateway, request by request.
protocol GatewayServer: AnyObject, Sendable {
    /// The answer of a host that cannot do its work.
    var unavailable: HTTPResponse { get }

    /// Whether the request concerns the order that the terminal asks about, and not the connection
    /// alone.
    func concernsOrder(_ request: HTTPRequest) -> Bool

    /// Whether a network may send the request twice without harm.
    func knowsAgain(_ request: HTTPRequest) -> Bool

    /// - Parameter order: What the request is about, for a refund or a capture that does not name
    ///   its order.
    func answer(to request: HTTPRequest, about order: OrderID?) -> HTTPResponse
}

extension HTTPRequest {
    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

extension HTTPResponse {
    /// With the request's mark, as a host with our extensions repeats it.
    func repeatingMark(of request: HTTPRequest) -> HTTPResponse {
        let name = "CardPresent-Request"
        guard let mark = request.header(name) else { return self }
        return HTTPResponse(status: status, headers: headers + [(name: name, value: mark)], body: body)
    }
}

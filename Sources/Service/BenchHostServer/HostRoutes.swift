import BenchHost
import HTTPTypes
import Hummingbird
import HummingbirdCore
import PaymentTerminal

/// What the server answers to: the XML interface at one path, and the operations of the REST
/// interface.
struct HostRoutes: Sendable {
    /// An operation of the REST interface for one request.
    typealias Operation = @Sendable (RESTCall) async throws(HostError) -> HostReply

    let exchange: Exchange
    let xml: XMLInterface
    let rest: RESTInterfaceHandler

    func router() -> Router<HostContext> {
        let router = Router(context: HostContext.self)
        router.add(middleware: UnknownRoutes(exchange: exchange, rest: rest))
        let base = router.group(RouterPath(BenchHostServer.basePath))
        base.post("xmlpayment") { [exchange, xml] request, context in
            try await exchange.respond(to: request, context) { await xml.reply(to: $0) }
        }
        base.on("xmlpayment", method: .options) { [exchange] request, context in
            try await exchange.respond(to: request, context) { _ in
                let headers = exchange.hasExtensions ? [("CardPresent-Extensions", "1")] : []
                return HostReply(status: 204, body: [], headers: headers, isPublic: true, operation: "options")
            }
        }
        add(to: base.group("api/v1"))
        return router
    }

    private func add(to api: RouterGroup<HostContext>) {
        api.get("account/authenticate") { [exchange, rest] request, context in
            try await exchange.respond(to: request, context) { await rest.authenticate($0) }
        }
        on(.get, "account/terminals/:terminal", in: api) { call throws(HostError) in try await call.settings() }
        on(.patch, "account/terminals/:terminal/endOfDay", in: api) { call throws(HostError) in
            try await call.closeBatch()
        }
        on(.post, "transaction/payments", in: api) { call throws(HostError) in try await call.pay(isRefund: false) }
        on(.post, "transaction/refunds", in: api) { call throws(HostError) in try await call.pay(isRefund: true) }
        for kind in ["payments", "refunds"] {
            on(.get, "transaction/\(kind)/:reference", in: api) { call throws(HostError) in try await call.show() }
            on(.patch, "transaction/\(kind)/:reference/reverse", in: api) { call throws(HostError) in
                try await call.reverse()
            }
        }
        on(.post, "transaction/payments/:reference/refunds", in: api) { call throws(HostError) in
            try await call.refer(.refund)
        }
        on(.patch, "transaction/payments/:reference/capture", in: api) { call throws(HostError) in
            try await call.refer(.capture)
        }
        on(.get, "transaction/transactions", in: api) { call throws(HostError) in try await call.search() }
        on(.post, "customer/credentials", in: api) { call throws(HostError) in try await call.registerCard() }
        on(.get, "customer/credentials/:card", in: api) { call throws(HostError) in try await call.showCard() }
        on(.patch, "customer/credentials/:card", in: api) { call throws(HostError) in try await call.updateCard() }
        on(.delete, "customer/credentials/:card", in: api) { call throws(HostError) in try await call.deleteCard() }
        guard exchange.hasExtensions else { return }
        on(.get, "transaction/orders/:order", in: api) { call throws(HostError) in try await call.status() }
        on(.patch, "transaction/orders/:order/referral", in: api) { call throws(HostError) in
            try await call.approveReferral()
        }
        on(.patch, "transaction/orders/:order/reverse", in: api) { call throws(HostError) in
            try await call.reverseOrder()
        }
        on(.patch, "transaction/orders/:order/completion", in: api) { call throws(HostError) in
            try await call.complete()
        }
    }

    private func on(
        _ method: HTTPRequest.Method, _ path: String, in api: RouterGroup<HostContext>, _ operation: @escaping Operation
    ) {
        api.on(RouterPath(path), method: method) { [exchange, rest] request, context in
            try await exchange.respond(to: request, context) {
                await rest.reply(to: $0, "\(method.rawValue) \(path)", operation)
            }
        }
    }
}

/// Answers to what no route has: below the REST interface in the form of its errors, else with
/// status 404.
private struct UnknownRoutes: RouterMiddleware {
    let exchange: Exchange
    let rest: RESTInterfaceHandler

    func handle(
        _ request: Request, context: HostContext, next: @concurrent (Request, HostContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound {
            return try await exchange.respond(to: request, context) { read in
                switch request.uri.path {
                case let path where path.hasPrefix("\(BenchHostServer.basePath)/api/v1/"):
                    await rest.reply(to: read, "unknown operation") { _ throws(HostError) in
                        throw HostError(.notSupported, "unknown operation")
                    }
                case "\(BenchHostServer.basePath)/xmlpayment":
                    HostReply(status: 405, body: [], operation: "method not allowed")
                default: HostReply(status: 404, body: [], operation: "not found")
                }
            }
        }
    }
}

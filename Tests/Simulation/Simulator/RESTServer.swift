internal import Bytes
internal import CardCapture
private import Foundation
internal import Gateways
internal import JSONDocument
internal import PaymentTerminal
internal import WorldNet

/// The model host behind the gateway's REST interface.
final class RESTServer: GatewayServer, @unchecked Sendable {
    private let world: World
    /// By their text, with the time at which they expire.
    private var tokens: [String: Int64] = [:]
    private var host: ModelHost { world.host }

    static let apiKey = "SIMULATED-TEST-KEY"
    private static let terminalID = "BENCH001"
    private static let hours = 1

    init(_ world: World) { self.world = world }

    var unavailable: HTTPResponse { refused(HostError(.internalError, "the host cannot do its work")) }

    func concernsOrder(_ request: HTTPRequest) -> Bool { !request.url.hasSuffix(RESTInterface.authenticate) }

    func knowsAgain(_ request: HTTPRequest) -> Bool {
        let path = Path(request.url)
        guard !host.hasExtensions, path.parts.count == 4 else { return true }
        // A second reversal may be refused, while the list does not have the first one.
        let isRefusedAgain = path.parts[3] == "reverse" && world.swarm.exists(.repeatRefused)
        return !isRefusedAgain && !["refunds", "capture"].contains(path.parts[3])
    }

    func answer(to request: HTTPRequest, about order: OrderID?) -> HTTPResponse {
        let response: HTTPResponse
        do throws(HostError) {
            let path = Path(request.url)
            let odd = try oddAnswer(request, path, order)
            response = if let odd { odd } else { try answer(request, path, order) }
        } catch {
            response = refused(error)
        }
        return host.hasExtensions ? response.repeatingMark(of: request) : response
    }

    /// A URL, its path and its parameters decoded.
    private struct Path {
        /// Behind `/api/v1`.
        let parts: [String]
        let parameters: [String: String]

        init(_ url: String) {
            let halves = url.split(separator: "?", maxSplits: 1)
            let path = halves[0].split(separator: "/").drop { $0 != "api" }.dropFirst(2)
            parts = path.map { String($0).removingPercentEncoding ?? "" }
            var parameters: [String: String] = [:]
            for pair in halves.count > 1 ? halves[1].split(separator: "&") : [] {
                let sides = pair.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? "" }
                if sides.count == 2 { parameters[sides[0]] = sides[1] }
            }
            self.parameters = parameters
        }
    }

    private func answer(_ request: HTTPRequest, _ path: Path, _ order: OrderID?) throws(HostError) -> HTTPResponse {
        let parts = path.parts
        if parts == ["account", "authenticate"] { return authenticate(request) }
        guard let token = request.header("Authorization")?.dropFirst("Bearer ".count),
            tokens[String(token)] ?? 0 > world.now
        else {
            return unauthorized
        }
        switch (request.method, parts.prefix(2).joined(separator: "/"), parts.count) {
        case ("POST", "transaction/payments", 2): return try pay(request, isRefund: false)
        case ("POST", "transaction/refunds", 2): return try pay(request, isRefund: true)
        case ("GET", "transaction/payments", 3), ("GET", "transaction/refunds", 3):
            // It is read where the list is.
            let id = try found(parts[2]).key
            guard let order = host.listed(id) else { throw HostError(.transactionUnknown, "transaction not found") }
            return try payment(id, as: order)
        case ("POST", "transaction/payments", 4) where parts[3] == "refunds":
            return try refer(request, reference: parts[2], kind: .refund, order: order)
        case ("PATCH", "transaction/payments", 4) where parts[3] == "capture":
            return try refer(request, reference: parts[2], kind: .capture, order: order)
        case ("PATCH", "transaction/payments", 4) where parts[3] == "reverse",
            ("PATCH", "transaction/refunds", 4) where parts[3] == "reverse":
            let id = try found(parts[2]).key
            if world.hasReversedForGood(id) { throw HostError(.notAllowed, "the payment is reversed already") }
            try world.hostReverses(id).get()
            if world.losesAnswer(toReversalOf: id) { return HTTPResponse(status: 504, headers: [], body: []) }
            return try payment(id)
        case ("GET", "transaction/transactions", 2): return try list(path)
        case ("POST", "customer/credentials", 2):
            let registration = try SecureCardRegistration(credentials: body(request))
            return answered(
                201, RESTCredentials.document(try host.vault.register(registration).get(), terminalID: Self.terminalID))
        case (_, "customer/credentials", 3):
            guard let reference = try? MerchantReference(parts[2]) else {
                throw HostError(.invalidRequest, "not a reference")
            }
            return try secureCard(request, reference)
        case ("GET", "transaction/orders", 3) where host.hasExtensions: return try status(parts[2])
        case ("PATCH", "transaction/orders", 4) where host.hasExtensions:
            let id = try Self.orderID(parts[2])
            switch parts[3] {
            case "referral":
                let code = try RESTReferral.approvalCode(of: body(request))
                _ = try world.hostApprovesReferral(of: id, code).get()
                return try payment(id)
            case "reverse":
                try world.hostReverses(id).get()
                // A reversal that comes first keeps its order out.
                return answered(200, RESTTransactions.document(.reversed, nil, terminalID: Self.terminalID))
            default: try world.hostAdvises(Advice(orderID: id, result: .finished(chipData: [], signature: nil))).get()
            }
            return HTTPResponse(status: 204, headers: [], body: [])
        default: throw HostError(.notSupported, "unknown operation")
        }
    }

    // MARK: Corners

    /// An answer that nobody expects of the request; nil for most requests.
    private func oddAnswer(_ request: HTTPRequest, _ path: Path, _ order: OrderID?) throws(HostError) -> HTTPResponse? {
        guard let order, ["POST", "PATCH"].contains(request.method), path.parts.first == "transaction" else {
            return nil
        }
        let act = { [self] in
            _ = Result { () throws(HostError) in try answer(request, path, order) }
        }
        let isReversal = path.parts.last == "reverse"
        if path.parts.last == "completion" { return nil }
        if !isReversal, let response = world.unauthorized(order, act) { return response }
        if request.method == "POST", path.parts.count == 2,
            let other = host.orders.keys.filter({ $0 != order }).min(by: { $0.text < $1.text }),
            world.strikes(.othersAnswer, .corners, order: order)
        {
            act()
            return try payment(other, status: 201)
        }
        if isReversal, world.strikes(.oddReversal, .corners, order: order) {
            let isPublished = !host.hasExtensions
            switch world.draw(.corners, "shape", isPublished ? 4 : 3) {
            case 0: return answered(200, .object([:] as KeyValuePairs<String, JSON?>))
            case 1:
                return answered(
                    200, RESTError.document(HostError(.notAllowed, "not reversed"), debugIdentifier: "simulated"))
            case 2: return host.orders[order] == nil ? answered(200, .list([])) : try payment(order)
            default: return HTTPResponse(status: 204, headers: [], body: [])
            }
        }
        guard world.strikes(.oddError, .corners, order: order) else { return nil }
        // With 4xx the gateway has not acted; of two copies of one request it may act on the other.
        let status = [500, 503, 400, 422][Int(world.draw(.corners, "status", world.swarm.exists(.doubled) ? 2 : 4))]
        if status >= 500, world.draw(.corners, "acts", 2) == 1 { act() }
        world.shop.mayStayUnknown.insert(order)
        let code: JSON? = world.draw(.corners, "code", 2) == 1 ? .text("E999") : nil
        return answered(
            status, .object(["details": .list([.object(["errorCode": code, "errorMessage": .text("an error")])])]))
    }

    // MARK: Tokens

    private func authenticate(_ request: HTTPRequest) -> HTTPResponse {
        guard request.header("Authorization") == "Basic \(Self.apiKey)" else { return unauthorized }
        let document = AccessToken(
            token: SecretBytes(issue().utf8), hours: Self.hours, hasExtensions: host.hasExtensions
        )
        .document(audience: "simulation", alias: "shop", terminals: [Self.terminalID])
        return answered(200, document)
    }

    func issue() -> String {
        let token = "T\(tokens.count)"
        tokens[token] = world.now + Int64(Self.hours) * 3_600_000_000_000
        return token
    }

    private var unauthorized: HTTPResponse {
        HTTPResponse(status: 401, headers: [], body: refused(HostError(.notAuthorized, "no valid token")).body)
    }

    // MARK: Payments

    private func pay(_ request: HTTPRequest, isRefund: Bool) throws(HostError) -> HTTPResponse {
        let document = try body(request)
        let payment = try AuthorizationRequest(payment: document, isRefund: isRefund, now: now)
        check(payment.amount, of: payment.orderID, request, isRefund ? "refundAmount" : "totalAmount")
        // A gateway that does not know the operation decides on what the card has declined.
        if try RESTPayment.operation(of: document) == .decline,
            host.hasExtensions || world.draw(.corners, "knows declines", 2) == 0
        {
            if !host.hasExtensions, host.found(payment.orderID) != nil {
                throw HostError(.orderAlreadyProcessed, "Order Already Processed")
            }
            try world.hostRecordsDecline(payment).get()
            return try self.payment(payment.orderID, status: 201)
        }
        if case .failure(let error) = world.hostAuthorizes(payment), !isPending(payment.orderID, error) { throw error }
        return try self.payment(payment.orderID, status: 201)
    }

    /// The host's own name for a refund or a capture that the request does not name is the order's,
    /// so that it can be judged afterwards.
    private func refer(
        _ request: HTTPRequest, reference: String, kind: TransactionRecord.Kind, order: OrderID?
    ) throws(HostError) -> HTTPResponse {
        guard let order else { fatalError("a refund or a capture that no order asks for") }
        let original = try found(reference)
        let referenced = try ReferencedRequest(
            try body(request), isRefund: kind == .refund, of: ModelHost.record(original.key, original.value),
            terminalID: Self.terminalID,
            orderID: order, now: now)
        check(referenced.amount, of: referenced.orderID, request, kind == .refund ? "refundAmount" : "captureAmount")
        if case .failure(let error) = world.hostRefers(kind, referenced), !isPending(referenced.orderID, error) {
            throw error
        }
        return try self.payment(referenced.orderID, status: 201)
    }

    /// Whether the error stands for an answer that comes later.
    private func isPending(_ id: OrderID, _ error: HostError) -> Bool {
        host.orders[id]?.state == .pending && error.code == .failed(.noAnswer)
    }

    private func payment(_ id: OrderID, status: Int = 200, as listed: ModelHost.Order? = nil) throws(HostError)
        -> HTTPResponse
    {
        guard let order = listed ?? host.orders[id] ?? host.foreign[id] else {
            throw HostError(.transactionUnknown, "transaction not found")
        }
        let record = ModelHost.record(id, order)
        let answer = order.answer ?? Self.undecided(record)
        let document = RESTAnswer.document(answer, record, terminalID: Self.terminalID)
        return answered(status, world.odd(document, id, isPending: order.state == .pending))
    }

    private static func undecided(_ record: TransactionRecord) -> AuthorizationResponse {
        AuthorizationResponse(
            uniqueReference: record.uniqueReference, issuer: IssuerAnswer.Answer(responseCode: "05"),
            authorizedAmount: Money(minorUnits: 0, currency: .euro), message: "PENDING")
    }

    // MARK: Secure cards

    private func secureCard(_ request: HTTPRequest, _ reference: MerchantReference) throws(HostError) -> HTTPResponse {
        let card: SecureCard
        switch request.method {
        case "PATCH":
            card = try host.vault.update(SecureCardRegistration(credentials: body(request), reference: reference)).get()
        case "DELETE":
            card = try host.vault.retrieve(reference).get()
            if let token = card.cardReference { try host.vault.delete(reference, token: token).get() }
            return HTTPResponse(status: 204, headers: [], body: [])
        default: card = try host.vault.retrieve(reference).get()
        }
        return answered(200, RESTCredentials.document(card, terminalID: Self.terminalID))
    }

    // MARK: Inquiries

    private func status(_ text: String) throws(HostError) -> HTTPResponse {
        let id = try Self.orderID(text)
        let record = host.found(id).map { ModelHost.record(id, $0) }
        return answered(
            200, RESTTransactions.document(try world.hostStatus(of: id).get(), record, terminalID: Self.terminalID))
    }

    private func list(_ path: Path) throws(HostError) -> HTTPResponse {
        var query = TransactionQuery()
        if let text = path.parameters["orderId"] { query.orderID = try Self.orderID(text) }
        query.pageSize = path.parameters["pageSize"].flatMap { Int($0) } ?? 10
        query.continuation = path.parameters["next"]
        let after = path.parameters["afterDate"].flatMap { ISODate.timestamp($0) }?.secondsSince1970
        let before = path.parameters["beforeDate"].flatMap { ISODate.timestamp($0) }?.secondsSince1970
        if after != nil || before != nil { query.period = (after ?? .min)..<max(after ?? .min, before ?? .max) }
        let page = try world.hostLists(query).get()
        if let limit = host.pageLimit, limit < query.pageSize { world.occurs(.shortPages) }
        let document = RESTTransactions.document(page, terminalID: Self.terminalID)
        guard host.hasOddRecord, query.orderID == nil, query.continuation == nil,
            case .list(let records)? = document["data"]
        else {
            return answered(200, document)
        }
        world.occurs(.oddRecord)
        let odd: JSON = .object([
            "uniqueReference": .text("X1"), "orderId": .text("X1"), "type": .text("CASHBACK"), "status": .text("READY"),
        ])
        return answered(200, .object(["data": .list([odd] + records), "next": document["next"]]))
    }

    private func found(_ reference: String) throws(HostError) -> (key: OrderID, value: ModelHost.Order) {
        guard let order = host.order(reference) else { throw HostError(.transactionUnknown, "transaction not found") }
        return order
    }

    // MARK: The wire

    private var now: Timestamp { Timestamp(secondsSince1970: World.start + world.now / 1_000_000_000) }

    private static func orderID(_ text: String) throws(HostError) -> OrderID {
        guard let id = try? OrderID(text) else { throw HostError(.invalidRequest, "not an order id") }
        return id
    }

    private func check(_ amount: Money, of order: OrderID, _ request: HTTPRequest, _ name: String) {
        world.check(amount, of: order, onTheWire: request.body.flatMap { WireAmount.json($0.revealed(), name) })
    }

    private func body(_ request: HTTPRequest) throws(HostError) -> JSON {
        guard let bytes = request.body?.revealed(), let document = try? JSON(parsing: Array(bytes)) else {
            throw HostError(.invalidRequest, "not JSON")
        }
        return document
    }

    private func answered(_ status: Int, _ document: JSON) -> HTTPResponse {
        HTTPResponse(status: status, headers: [], body: Array(document.document))
    }

    private func refused(_ error: HostError) -> HTTPResponse {
        answered(RESTError.status(error), RESTError.document(error, debugIdentifier: "simulated"))
    }
}

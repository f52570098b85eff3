internal import Bytes
internal import CardCapture
internal import Gateways
internal import PaymentTerminal
internal import WorldNet
internal import XMLDocument

/// The model host behind the gateway's XML interface. Without our extensions an order can neither
/// be looked up nor reversed there.
final class XMLServer: GatewayServer, @unchecked Sendable {
    private let world: World
    private var host: ModelHost { world.host }

    static let secret = "SIMULATED-TEST-SECRET"
    private static var hash: MessageHash { MessageHash(secret: SecretBytes(secret.utf8)) }

    init(_ world: World) { self.world = world }

    var unavailable: HTTPResponse { refused(HostError(.internalError, "the host cannot do its work")) }

    func concernsOrder(_ request: HTTPRequest) -> Bool { request.method != "OPTIONS" }

    func knowsAgain(_ request: HTTPRequest) -> Bool {
        guard !host.hasExtensions, let message = message(request) else { return true }
        return ![XMLForm.refund.name, XMLForm.completion.name].contains(message.form.name)
    }

    func answer(to request: HTTPRequest, about order: OrderID?) -> HTTPResponse {
        let response = request.method == "OPTIONS" ? options : posted(request, order)
        return host.hasExtensions ? response.repeatingMark(of: request) : response
    }

    private var options: HTTPResponse {
        guard host.hasExtensions else { return HTTPResponse(status: 405, headers: [], body: []) }
        return HTTPResponse(status: 204, headers: [(name: "CardPresent-Extensions", value: "1")], body: [])
    }

    private func posted(_ request: HTTPRequest, _ order: OrderID?) -> HTTPResponse {
        guard let message = message(request) else {
            return refused(HostError(.invalidRequest, "not a message of the interface"))
        }
        guard message.isGenuine(Self.hash) else { return refused(HostError(.notAuthorized, "the hash is wrong")) }
        let wireAmount = request.body.flatMap { WireAmount.xml($0.revealed(), "AMOUNT") }
        if let order, message.form.name != XMLForm.orderStatus.name, world.strikes(.oddError, .corners, order: order) {
            if world.draw(.corners, "acts", 2) == 1 {
                _ = Result { () throws(HostError) in try answer(message, order, wireAmount: wireAmount) }
            }
            world.shop.mayStayUnknown.insert(order)
            var error = XMLMessage(.error)
            error[.errorCode] = world.draw(.corners, "code", 2) == 1 ? "E99" : nil
            error[.errorString] = "AN ERROR"
            return HTTPResponse(status: 200, headers: [], body: error.element(Self.hash).document)
        }
        do throws(HostError) {
            let answer = try answer(message, order, wireAmount: wireAmount)
            let document = answer.element(answering: message, Self.hash).document
            let isAltered = answer[.responseCode] != nil && world.strikes(.alteredAnswer, .corners, order: order)
            return HTTPResponse(status: 200, headers: [], body: isAltered ? Self.altered(document) : document)
        } catch {
            return refused(error)
        }
    }

    /// Somebody on the way makes a decline of an approval, or the other way round, and does not
    /// know the secret.
    private static func altered(_ document: [UInt8]) -> [UInt8] {
        let text = String(decoding: document, as: UTF8.self)
        let pairs = [("<RESPONSECODE>A<", "<RESPONSECODE>D<"), ("<BANKRESPONSECODE>00<", "<BANKRESPONSECODE>05<")]
        let isApproved = text.contains(pairs[0].0)
        return Array(
            pairs.reduce(text) { isApproved ? $0.replacing($1.0, with: $1.1) : $0.replacing($1.1, with: $1.0) }.utf8)
    }

    private func message(_ request: HTTPRequest) -> XMLMessage? {
        guard let body = request.body?.revealed(), let root = try? XMLElement(parsing: body) else { return nil }
        return try? XMLMessage(root, among: XMLForm.exchanges.map(\.request))
    }

    private func answer(_ message: XMLMessage, _ order: OrderID?, wireAmount: Int64?) throws(HostError) -> XMLMessage {
        switch message.form.name {
        case XMLForm.payment.name, XMLForm.preAuthorization.name, XMLForm.unreferencedRefund.name:
            let request = try AuthorizationRequest(message)
            world.check(request.amount, of: request.orderID, onTheWire: wireAmount)
            let answer = try decided(request.orderID, world.hostAuthorizes(request))
            return world.odd(answered(message, answer), request.orderID)
        case XMLForm.refund.name: return try refer(message, .refund, of: order, wireAmount)
        case XMLForm.completion.name: return try refer(message, .capture, of: order, wireAmount)
        case XMLForm.orderStatus.name where host.hasExtensions:
            let id: OrderID = try message.reference(.orderID)
            return XMLMessage(try world.hostStatus(of: id).get(), of: id, at: now)
        case XMLForm.reversal.name where host.hasExtensions:
            let id: OrderID = try message.reference(.orderID)
            try world.hostReverses(id).get()
            var answer = XMLMessage(.reversalResponse)
            answer[.orderID] = id.text
            answer[.dateTime] = GatewayDate.text(now)
            return answer
        case XMLForm.registration.name:
            return XMLMessage(
                try host.vault.register(SecureCardRegistration(message)).get(), .registrationResponse, at: now)
        case XMLForm.update.name:
            return XMLMessage(try host.vault.update(SecureCardRegistration(message)).get(), .updateResponse, at: now)
        case XMLForm.search.name:
            return XMLMessage(
                try host.vault.retrieve(message.reference(.merchantReference)).get(), .searchResponse, at: now)
        case XMLForm.removal.name:
            let reference: MerchantReference = try message.reference(.merchantReference)
            try host.vault.delete(reference, token: SecureCardReference(message[.cardReference] ?? "")).get()
            var answer = XMLMessage(.removalResponse)
            answer[.merchantReference] = reference.text
            answer[.dateTime] = GatewayDate.text(now)
            return answer
        default: throw HostError(.notSupported, "unknown message")
        }
    }

    /// The host's own name for a refund or a capture that the request does not name is the order's,
    /// so that it can be judged afterwards.
    private func refer(
        _ message: XMLMessage, _ kind: TransactionRecord.Kind, of order: OrderID?, _ wireAmount: Int64?
    ) throws(HostError) -> XMLMessage {
        guard let order else { fatalError("a refund or a capture that no order asks for") }
        guard let original = host.order(message[.uniqueReference] ?? "")?.value,
            let currency = original.requested?.currency
        else {
            throw HostError(.transactionUnknown, "INVALID UNIQUEREF")
        }
        let request = try ReferencedRequest(message, currency: currency, orderID: order)
        world.check(request.amount, of: request.orderID, onTheWire: wireAmount)
        let names = message[.ownOrderID] != nil
        let answer = try decided(request.orderID, world.hostRefers(kind, request))
        return world.odd(answered(message, answer, original: names ? nil : message[.uniqueReference]), request.orderID)
    }

    /// The host's decision, or what stands for one that it takes later.
    private func decided(
        _ order: OrderID, _ result: Result<AuthorizationResponse, HostError>
    ) throws(HostError) -> AuthorizationResponse {
        guard case .failure(let error) = result, error.code == .failed(.noAnswer), host.orders[order]?.state == .pending
        else {
            return try result.get()
        }
        return AuthorizationResponse(
            uniqueReference: "N-\(order.text)", issuer: IssuerAnswer.Answer(responseCode: "05"),
            authorizedAmount: Money(minorUnits: 0, currency: .euro), message: "PENDING")
    }

    /// - Parameter original: What the published interface names in place of a refund or a capture.
    private func answered(_ message: XMLMessage, _ answer: AuthorizationResponse, original: String? = nil) -> XMLMessage
    {
        guard let form = XMLForm.exchanges.first(where: { $0.request.name == message.form.name })?.answer else {
            fatalError("a message without an answer")
        }
        return XMLMessage(answer, to: form, at: now, original: original)
    }

    private var now: Timestamp { Timestamp(secondsSince1970: World.start + world.now / 1_000_000_000) }

    private func refused(_ error: HostError) -> HTTPResponse {
        HTTPResponse(status: 200, headers: [], body: XMLMessage(error).element(Self.hash).document)
    }
}

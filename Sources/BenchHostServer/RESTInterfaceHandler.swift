import BenchHost
import Bytes
import CardCapture
import CardCryptography
import PaymentTerminal
import WorldNet

/// The bench host behind the gateway's REST interface.
struct RESTInterfaceHandler: Sendable {
    let host: BenchHost
    let tokens: TokenStore
    let senders: Senders
    let audience: String
    /// Whether the server tells, and does, what the published interface has no place for.
    let hasExtensions: Bool
    let now: @Sendable () -> Timestamp

    /// - Parameter path: behind `/api/v1`.
    func reply(to request: HostRequest, path: ArraySlice<String>) async -> HostReply {
        let operation = "\(request.method) \(Self.shape(path))"
        do throws(HostError) {
            let path = Array(path)
            if request.method == "GET", path == ["account", "authenticate"] { return try await authenticate(request) }
            guard let account = await account(of: request) else { return unauthorized(operation) }
            return await senders.reply(to: request, from: "key \(account.alias)") {
                do throws(HostError) {
                    return try await Call(interface: self, request: request, account: account, operation: operation).reply(path)
                } catch {
                    return reply(error, operation)
                }
            }
        } catch {
            return reply(error, operation)
        }
    }

    /// The path without what names an order or a card.
    private static func shape(_ path: ArraySlice<String>) -> String {
        path.enumerated().map { $0.offset == 2 ? "*" : $0.element.filter { $0.isASCII && $0.isLetter } }.joined(separator: "/")
    }

    private func authenticate(_ request: HostRequest) async throws(HostError) -> HostReply {
        guard let key = credentials(request, scheme: "Basic"), let account = try await host.account(of: SecretBytes(key.utf8)) else {
            return unauthorized("authenticate")
        }
        guard senders.rate.count("key \(account.alias)") else { return .tooMany }
        let token = AccessToken(token: await tokens.issue(for: account), hours: tokens.hours, hasExtensions: hasExtensions)
        let document = token.document(audience: audience, alias: account.alias, terminals: account.terminals)
        return HostReply(status: 200, body: document.document, operation: "authenticate")
    }

    private func account(of request: HostRequest) async -> APIKeyAccount? {
        guard let token = credentials(request, scheme: "Bearer") else { return nil }
        return await tokens.account(of: token)
    }

    private func credentials(_ request: HostRequest, scheme: String) -> String? {
        guard let header = request.authorization, header.lowercased().hasPrefix(scheme.lowercased() + " ") else { return nil }
        return String(header.dropFirst(scheme.count + 1))
    }

    private func unauthorized(_ operation: String) -> HostReply {
        var reply = reply(HostError(.notAuthorized, "no valid credentials"), operation)
        reply.status = 401
        reply.isRefused = true
        reply.headers = [("WWW-Authenticate", "Bearer")]
        return reply
    }

    func reply(_ error: HostError, _ operation: String) -> HostReply {
        let document = RESTError.document(error, debugIdentifier: SecureRandom.bytes(8).hex.lowercased())
        return HostReply(status: RESTError.status(error), body: document.document, operation: "\(operation): \(error.code)")
    }
}

/// One request of an authenticated client.
private struct Call {
    let interface: RESTInterfaceHandler
    let request: HostRequest
    let account: APIKeyAccount
    let operation: String
    private var host: BenchHost { interface.host }

    init(interface: RESTInterfaceHandler, request: HostRequest, account: APIKeyAccount, operation: String) {
        self.interface = interface
        self.request = request
        self.account = account
        self.operation = operation
    }

    func reply(_ path: [String]) async throws(HostError) -> HostReply {
        let (method, third, fourth) = (request.method, path.count > 2 ? path[2] : "", path.count > 3 ? path[3] : "")
        switch (method, path.prefix(2).joined(separator: "/"), path.count) {
        case ("GET", "account/terminals", 3):
            return ok(RESTTerminal.document(try await terminal(third).settings, hasExtensions: interface.hasExtensions))
        case ("PATCH", "account/terminals", 4) where fourth == "endOfDay": return try await closeBatch(third)
        case ("POST", "transaction/payments", 2): return try await pay(isRefund: false)
        case ("POST", "transaction/refunds", 2): return try await pay(isRefund: true)
        case ("GET", "transaction/payments", 3), ("GET", "transaction/refunds", 3): return ok(document(try await transaction(third)))
        case ("POST", "transaction/payments", 4) where fourth == "refunds": return try await refer(to: third, .refund)
        case ("PATCH", "transaction/payments", 4) where fourth == "capture": return try await refer(to: third, .capture)
        case ("PATCH", "transaction/payments", 4) where fourth == "reverse",
            ("PATCH", "transaction/refunds", 4) where fourth == "reverse":
            let transaction = try await transaction(third)
            try await reverse(transaction.record.orderID)
            return ok(document(try await self.transaction(third)))
        case ("GET", "transaction/transactions", 2): return try await search()
        case ("GET", "transaction/orders", 3) where interface.hasExtensions: return try await status(try orderID(third))
        case ("PATCH", "transaction/orders", 4) where interface.hasExtensions: return try await complete(try orderID(third), fourth)
        case (_, "customer/credentials", 2...3): return try await credentials(third)
        default: throw HostError(.notSupported, "unknown operation")
        }
    }

    // MARK: Payments

    private func pay(isRefund: Bool) async throws(HostError) -> HostReply {
        let document = try body()
        let request = try AuthorizationRequest(payment: document, isRefund: isRefund, now: interface.now())
        _ = try await terminal(request.terminalID)
        switch document["offlineProcessing"]?["operation"]?.text {
        case "OFFLINE_APPROVAL": try await complete(request.orderID, .approvedOffline(request), by: [request.terminalID])
        case "OFFLINE_DECLINE": try await complete(request.orderID, .declinedOffline(request), by: [request.terminalID])
        case nil, "DEFERRED_AUTHORIZATION":
            do throws(HostError) {
                return created(try await host.transact(request))
            } catch {
                return try await played(error, request.amount, request.orderID)
            }
        // What is only to be noted must not be charged.
        default: throw HostError(.notSupported, "the bench host accepts offline approvals, offline declines and later authorizations only")
        }
        return created(try await stored(request.orderID))
    }

    private func refer(to reference: String, _ kind: BenchHost.Reference) async throws(HostError) -> HostReply {
        let original = try await transaction(reference)
        let orderID = OrderID.ownName(of: SecureRandom.bytes(16).hex)
        let request = try ReferencedRequest(
            try body(), isRefund: kind == .refund, of: original.record, terminalID: original.terminalID ?? "", orderID: orderID,
            now: interface.now())
        do throws(HostError) {
            return created(try await host.transact(kind, request))
        } catch {
            return try await played(error, request.amount, request.orderID)
        }
    }

    /// What a fault that the host plays looks like on the wire; any other error is thrown on.
    private func played(_ error: HostError, _ amount: Money, _ orderID: OrderID) async throws(HostError) -> HostReply {
        switch error.code {
        case .noAnswer: return .ending(HostFault(amount) == .silentAfterCommit ? .silence : .close, operation)
        case .answerNotGenuine:
            var reply = created(try await stored(orderID))
            reply.body.removeLast(reply.body.count / 2)
            return reply
        default: throw error
        }
    }

    private func stored(_ orderID: OrderID) async throws(HostError) -> BenchTransaction {
        guard let transaction = try await host.transaction(of: orderID) else { throw HostError(.failed, "the order was not stored") }
        return transaction
    }

    private func created(_ transaction: BenchTransaction) -> HostReply {
        HostReply(status: 201, body: document(transaction).document, operation: operation)
    }

    private func document(_ transaction: BenchTransaction) -> JSON {
        RESTAnswer.document(transaction.answer, transaction.record, terminalID: transaction.terminalID ?? "")
    }

    /// The transaction, if its terminal is one of the key's.
    private func transaction(_ reference: String) async throws(HostError) -> BenchTransaction {
        guard let transaction = try await host.transaction(reference), isAllowed(transaction) else {
            throw HostError(.transactionUnknown, "transaction not found")
        }
        return transaction
    }

    private func isAllowed(_ transaction: BenchTransaction) -> Bool {
        transaction.terminalID.map { account.terminals.contains($0) } ?? true
    }

    private func terminal(_ id: String) async throws(HostError) -> BenchTerminal {
        guard account.terminals.contains(id), let terminal = try await host.terminal(id) else {
            throw HostError(.notAuthorized, "the key may not use this terminal")
        }
        return terminal
    }

    // MARK: Orders

    private func orderID(_ text: String) throws(HostError) -> OrderID {
        do throws(ReferenceError) {
            return try OrderID(text)
        } catch {
            throw HostError(.invalidRequest, error.description)
        }
    }

    private func status(_ orderID: OrderID) async throws(HostError) -> HostReply {
        let status = try await host.status(of: orderID, for: account.terminals)
        let transaction = try await host.transaction(of: orderID)
        return ok(RESTTransactions.document(status, transaction?.record, terminalID: transaction?.terminalID ?? ""))
    }

    private func complete(_ orderID: OrderID, _ what: String) async throws(HostError) -> HostReply {
        switch what {
        case "referral":
            let code = try RESTReferral.approvalCode(of: try body())
            return ok(document(try await host.approveReferral(of: orderID, approvalCode: code, by: account.terminals)))
        case "reverse": try await reverse(orderID)
        case "completion":
            try await complete(orderID, RESTCompletion.result(of: try body()), by: account.terminals)
        default: throw HostError(.notSupported, "unknown operation")
        }
        return HostReply(status: 204, body: [], operation: operation)
    }

    private func reverse(_ orderID: OrderID) async throws(HostError) {
        let reason = RESTReferencedRequest.reason(request.body.isEmpty ? .null : try body())
        try await complete(orderID, .reversed(reason), by: account.terminals)
    }

    private func complete(_ orderID: OrderID, _ result: Advice.Result, by terminals: [String]) async throws(HostError) {
        try await host.advise(Advice(orderID: orderID, result: result), by: terminals)
    }

    private func closeBatch(_ terminalID: String) async throws(HostError) -> HostReply {
        _ = try await terminal(terminalID)
        let batch = try await host.closeBatch(of: terminalID, at: interface.now())
        return ok(
            .object([
                "batch": batch.map { .number(String($0.number)) }, "transactions": .number(String(batch?.transactions ?? 0)),
                "totals": .list((batch?.totals ?? []).map { .text($0.description) }),
            ]))
    }

    // MARK: The list

    private func search() async throws(HostError) -> HostReply {
        let terminalID = request.query("terminal") ?? ""
        _ = try await terminal(terminalID)
        var query = TransactionQuery()
        if let text = request.query("orderId") { query.orderID = try orderID(text) }
        query.uniqueReference = request.query("uniqueReference")
        query.pageSize = try number("pageSize") ?? 10
        query.page = try number("next") ?? 0
        let after = request.query("afterDate").flatMap { ISODate.timestamp($0) }?.secondsSince1970
        let before = request.query("beforeDate").flatMap { ISODate.timestamp($0) }?.secondsSince1970
        if after != nil || before != nil {
            let start = after ?? 0
            query.period = start..<max(start, before ?? Int64.max)
        }
        switch request.query("resourceType") {
        case "REFUND": query.kinds = [.refund]
        case "PAYMENT": query.kinds = Set(TransactionRecord.Kind.allCases).subtracting([.refund])
        default: break
        }
        switch request.query("statusGroup") {
        case "APPROVAL": query.states = [.approved, .approvedOffline, .pending, .captured, .settled]
        case "REVERSAL": query.states = [.reversed, .voided]
        case "DECLINED", "REFERRAL": query.states = [.declined]
        default: break
        }
        query.phrase = request.query("panLastFour")
        if interface.hasExtensions { takeExtensions(&query) }
        let page = try await host.transactions(query, of: terminalID)
        let next = page.count == query.pageSize ? query.page + 1 : nil
        return ok(RESTTransactions.document(page, next: next, terminalID: terminalID))
    }

    private func takeExtensions(_ query: inout TransactionQuery) {
        let states = request.queries("cp_state").compactMap { TransactionRecord.State(rawValue: $0) }
        let kinds = request.queries("cp_kind").compactMap { TransactionRecord.Kind(rawValue: $0) }
        if !states.isEmpty { query.states = Set(states) }
        if !kinds.isEmpty { query.kinds = Set(kinds) }
        if let phrase = request.query("cp_phrase") { query.phrase = phrase }
        if let order = request.query("cp_order").flatMap({ TransactionQuery.Order(rawValue: $0) }) { query.order = order }
        query.isAscending = request.query("cp_ascending") == "true"
    }

    private func number(_ name: String) throws(HostError) -> Int? {
        guard let text = request.query(name) else { return nil }
        guard let number = Int(text) else { throw HostError(.invalidRequest, "Invalid \(name) field") }
        return number
    }

    // MARK: Secure cards

    private func credentials(_ reference: String) async throws(HostError) -> HostReply {
        if request.method == "POST", reference.isEmpty {
            let document = try body()
            let terminalID = try await terminal(document["terminal"]?.text ?? "").settings.terminalID
            let registration = try SecureCardRegistration(credentials: document)
            let card = try await host.registerSecureCard(registration, of: terminalID)
            let answer = RESTCredentials.document(card, terminalID: terminalID, isValidated: registration.cvv != nil)
            return HostReply(status: 201, body: answer.document, operation: operation)
        }
        let name: MerchantReference
        do throws(ReferenceError) {
            name = try MerchantReference(reference)
        } catch {
            throw HostError(.invalidRequest, error.description)
        }
        switch request.method {
        case "GET":
            let terminalID = try await terminal(request.query("terminal") ?? "").settings.terminalID
            return ok(RESTCredentials.document(try await host.retrieveSecureCard(name), terminalID: terminalID, isValidated: false))
        case "PATCH":
            let document = try body()
            let terminalID = try await terminal(document["terminal"]?.text ?? "").settings.terminalID
            let registration = try SecureCardRegistration(credentials: document, reference: name)
            let card = try await host.updateSecureCard(registration, of: terminalID)
            return ok(RESTCredentials.document(card, terminalID: terminalID, isValidated: registration.cvv != nil))
        case "DELETE":
            _ = try await terminal(request.query("terminal") ?? "")
            guard let token = try await host.retrieveSecureCard(name).cardReference else {
                throw HostError(.secureCardUnknown, "the secure card has no token")
            }
            try await host.deleteSecureCard(name, token: token)
            return HostReply(status: 204, body: [], operation: operation)
        default: throw HostError(.notSupported, "unknown operation")
        }
    }

    private func body() throws(HostError) -> JSON {
        do throws(DocumentError) {
            return try JSON(parsing: request.body)
        } catch {
            throw HostError(.invalidRequest, error.description)
        }
    }

    private func ok(_ document: JSON) -> HostReply { HostReply(status: 200, body: document.document, operation: operation) }
}

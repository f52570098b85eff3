import BenchHost
import Bytes
import CardCapture
import CardCryptography
import JSONDocument
import PaymentTerminal
import WorldNet

/// One request of an authenticated client to the REST interface.
struct RESTCall: Sendable {
    let interface: RESTInterfaceHandler
    let request: HostRequest
    let account: APIKeyAccount
    /// For the log.
    let operation: String
    private var host: BenchHost { interface.host }

    // MARK: Terminals

    func settings() async throws(HostError) -> HostReply {
        let settings = try await terminal(request.parameter("terminal")).settings
        return ok(RESTTerminal.document(settings, hasExtensions: interface.hasExtensions))
    }

    func closeBatch() async throws(HostError) -> HostReply {
        let terminalID = try await terminal(request.parameter("terminal")).settings.terminalID
        let batch = try await host.closeBatch(of: terminalID, at: interface.now())
        return ok(
            .object([
                "batch": batch.map { .number(String($0.number)) },
                "transactions": .number(String(batch?.transactions ?? 0)),
                "totals": .list((batch?.totals ?? []).map { .text($0.description) }),
            ]))
    }

    // MARK: Payments

    func pay(isRefund: Bool) async throws(HostError) -> HostReply {
        let document = try body()
        let request = try AuthorizationRequest(payment: document, isRefund: isRefund, now: interface.now())
        _ = try await terminal(request.terminalID)
        self.request.subject.add(request.orderID)
        if try RESTPayment.operation(of: document) == .decline {
            try await complete(request.orderID, .declinedOffline(request), by: [request.terminalID])
            return created(try await stored(request.orderID, of: request.terminalID))
        }
        do throws(HostError) {
            return created(try await host.transact(request))
        } catch {
            return try await played(error, request.amount, request.orderID, of: request.terminalID)
        }
    }

    /// A refund of a payment, or its capture.
    func refer(_ kind: BenchHost.Reference) async throws(HostError) -> HostReply {
        let original = try await transaction(request.parameter("reference"))
        let orderID = OrderID.ownName(of: SecureRandom.bytes(16).hex)
        let request = try ReferencedRequest(
            try body(), isRefund: kind == .refund, of: original.record, terminalID: original.terminalID,
            orderID: orderID,
            now: interface.now())
        do throws(HostError) {
            return created(try await host.transact(kind, request))
        } catch {
            return try await played(error, request.amount, request.orderID, of: request.terminalID)
        }
    }

    func show() async throws(HostError) -> HostReply {
        ok(document(try await transaction(request.parameter("reference"))))
    }

    func reverse() async throws(HostError) -> HostReply {
        let reference = request.parameter("reference")
        let known = try await transaction(reference)
        try await reverse(known.record.orderID, of: [known.terminalID])
        return ok(document(try await transaction(reference)))
    }

    /// What a fault that the host plays looks like on the wire; any other error is thrown on.
    private func played(
        _ error: HostError, _ amount: Money, _ orderID: OrderID, of terminalID: String
    ) async throws(HostError) -> HostReply {
        switch error.code {
        case .failed(.noAnswer): return .ending(HostFault(amount) == .silentAfterCommit ? .silence : .close, operation)
        case .failed(.answerNotGenuine):
            var reply = created(try await stored(orderID, of: terminalID))
            reply.body.removeLast(reply.body.count / 2)
            return reply
        default: throw error
        }
    }

    private func stored(_ orderID: OrderID, of terminalID: String) async throws(HostError) -> BenchTransaction {
        guard let transaction = try await host.transaction(of: orderID, for: [terminalID]) else {
            throw HostError(.internalError, "the order was not stored")
        }
        return transaction
    }

    private func created(_ transaction: BenchTransaction) -> HostReply {
        HostReply(status: 201, body: document(transaction).document, operation: operation)
    }

    private func document(_ transaction: BenchTransaction) -> JSON {
        RESTAnswer.document(transaction.answer, transaction.record, terminalID: transaction.terminalID)
    }

    /// The transaction, if its terminal is one of the key's.
    private func transaction(_ reference: String) async throws(HostError) -> BenchTransaction {
        guard let transaction = try await host.transaction(reference), isAllowed(transaction) else {
            throw HostError(.transactionUnknown, "transaction not found")
        }
        request.subject.add(terminalID: transaction.terminalID)
        request.subject.add(transaction.record.orderID)
        return transaction
    }

    private func isAllowed(_ transaction: BenchTransaction) -> Bool {
        account.terminals.contains(transaction.terminalID)
    }

    private func terminal(_ id: String) async throws(HostError) -> BenchTerminal {
        guard account.terminals.contains(id), let terminal = try await host.terminal(id) else {
            throw HostError(.notAuthorized, "the key may not use this terminal")
        }
        request.subject.add(terminalID: id)
        return terminal
    }

    // MARK: Orders

    func status() async throws(HostError) -> HostReply {
        let orderID = try orderID(request.parameter("order"))
        let terminals = try await senders()
        let status = try await host.status(of: orderID, for: terminals)
        let transaction = try await host.transaction(of: orderID, for: terminals)
        return ok(RESTTransactions.document(status, transaction?.record, terminalID: transaction?.terminalID ?? ""))
    }

    func approveReferral() async throws(HostError) -> HostReply {
        let orderID = try orderID(request.parameter("order"))
        let code = try RESTReferral.approvalCode(of: try body())
        return ok(document(try await host.approveReferral(of: orderID, approvalCode: code, by: try await senders())))
    }

    func reverseOrder() async throws(HostError) -> HostReply {
        let (orderID, terminals) = (try orderID(request.parameter("order")), try await senders())
        try await reverse(orderID, of: terminals)
        return ok(RESTTransactions.document(try await host.status(of: orderID, for: terminals), nil, terminalID: ""))
    }

    func complete() async throws(HostError) -> HostReply {
        try await complete(
            orderID(request.parameter("order")), RESTCompletion.result(of: try body()), by: try await senders())
        return done
    }

    private func orderID(_ text: String) throws(HostError) -> OrderID {
        do throws(ReferenceError) {
            let orderID = try OrderID(text)
            request.subject.add(orderID)
            return orderID
        } catch {
            throw HostError(.invalidRequest, error.description)
        }
    }

    private func reverse(_ orderID: OrderID, of terminals: [String]) async throws(HostError) {
        let reason = RESTReferencedRequest.reason(request.body.isEmpty ? .null : try body())
        try await complete(orderID, .reversed(reason), by: terminals)
    }

    /// The terminals whose orders the request may be about: the one that it names, else all of the
    /// key's.
    private func senders() async throws(HostError) -> [String] {
        guard let named = request.query("terminal") else { return account.terminals }
        return [try await terminal(named).settings.terminalID]
    }

    private func complete(_ orderID: OrderID, _ result: Advice.Result, by terminals: [String]) async throws(HostError) {
        try await host.advise(Advice(orderID: orderID, result: result), by: terminals)
    }

    // MARK: The list

    func search() async throws(HostError) -> HostReply {
        let terminalID = request.query("terminal") ?? ""
        _ = try await terminal(terminalID)
        var query = TransactionQuery()
        if let text = request.query("orderId") { query.orderID = try orderID(text) }
        query.uniqueReference = request.query("uniqueReference")
        query.pageSize = try number("pageSize") ?? 10
        query.continuation = request.query("next")
        let after = try moment("afterDate")
        let before = try moment("beforeDate")
        if after != nil || before != nil {
            let start = after ?? 0
            // ordered: the upper end is the start at least
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
        return ok(RESTTransactions.document(page, terminalID: terminalID))
    }

    private func takeExtensions(_ query: inout TransactionQuery) {
        let states = request.queries("cp_state").compactMap { TransactionRecord.State(rawValue: $0) }
        let kinds = request.queries("cp_kind").compactMap { TransactionRecord.Kind(rawValue: $0) }
        if !states.isEmpty { query.states = Set(states) }
        if !kinds.isEmpty { query.kinds = Set(kinds) }
        if let phrase = request.query("cp_phrase") { query.phrase = phrase }
        if let order = request.query("cp_order").flatMap({ TransactionQuery.Order(rawValue: $0) }) {
            query.order = order
        }
        query.isAscending = request.query("cp_ascending") == "true"
    }

    private func moment(_ name: String) throws(HostError) -> Int64? {
        guard let text = request.query(name) else { return nil }
        guard let moment = ISODate.timestamp(text) else { throw HostError(.invalidRequest, "Invalid \(name) field") }
        return moment.secondsSince1970
    }

    private func number(_ name: String) throws(HostError) -> Int? {
        guard let text = request.query(name) else { return nil }
        guard let number = Int(text) else { throw HostError(.invalidRequest, "Invalid \(name) field") }
        return number
    }

    // MARK: Secure cards

    func registerCard() async throws(HostError) -> HostReply {
        let document = try body()
        let terminalID = try await terminal(document["terminal"]?.text ?? "").settings.terminalID
        let registration = try SecureCardRegistration(credentials: document)
        let card = try await host.registerSecureCard(registration, of: terminalID)
        let answer = RESTCredentials.document(card, terminalID: terminalID)
        return HostReply(status: 201, body: answer.document, operation: operation)
    }

    func showCard() async throws(HostError) -> HostReply {
        let reference = try merchantReference()
        let terminalID = try await terminal(request.query("terminal") ?? "").settings.terminalID
        return ok(
            RESTCredentials.document(
                try await host.retrieveSecureCard(reference, of: terminalID), terminalID: terminalID))
    }

    func updateCard() async throws(HostError) -> HostReply {
        let reference = try merchantReference()
        let document = try body()
        let terminalID = try await terminal(document["terminal"]?.text ?? "").settings.terminalID
        let registration = try SecureCardRegistration(credentials: document, reference: reference)
        let card = try await host.updateSecureCard(registration, of: terminalID)
        return ok(RESTCredentials.document(card, terminalID: terminalID))
    }

    func deleteCard() async throws(HostError) -> HostReply {
        let reference = try merchantReference()
        let terminalID = try await terminal(request.query("terminal") ?? "").settings.terminalID
        guard let token = try await host.retrieveSecureCard(reference, of: terminalID).cardReference else {
            throw HostError(.secureCardUnknown, "the secure card has no token")
        }
        try await host.deleteSecureCard(reference, token: token, of: terminalID)
        return done
    }

    private func merchantReference() throws(HostError) -> MerchantReference {
        do throws(ReferenceError) {
            return try MerchantReference(request.parameter("card"))
        } catch {
            throw HostError(.invalidRequest, error.description)
        }
    }

    // MARK: Bodies

    private func body() throws(HostError) -> JSON {
        do throws(JSONError) {
            return try JSON(parsing: request.body)
        } catch {
            throw HostError(.invalidRequest, error.description)
        }
    }

    private func ok(_ document: JSON) -> HostReply {
        HostReply(status: 200, body: document.document, operation: operation)
    }

    private var done: HostReply { HostReply(status: 204, body: [], operation: operation) }
}

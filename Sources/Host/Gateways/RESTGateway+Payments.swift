import Bytes
import CardCapture
import JSONDocument
public import PaymentTerminal
import WorldNet

extension RESTGateway: PaymentHost {
    public func settings() async throws(HostError) -> HostSettings {
        let path = RESTInterface.terminals + "/" + RESTInterface.escaped(account.terminalID)
        return try RESTTerminal.settings(try await call("terminal settings", method: "GET", path: path))
    }

    public func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        let body = try RESTPayment.document(
            request, deviceType: account.deviceType, hasExtensions: try await hasExtensions())
        let answer = try await call(
            "authorize", method: "POST", path: Self.resource(request), body: body, effect: .once)
        return try AuthorizationResponse(answer: answer, orderID: request.orderID, requested: request.amount)
    }

    public func approveReferral(of orderID: OrderID, approvalCode: String) async throws(HostError)
        -> AuthorizationResponse
    {
        guard try await hasExtensions() else {
            throw HostError(
                .notSupported,
                "the gateway's interface does not accept the approval code of a call: take another payment")
        }
        let path = path(of: orderID, "/referral")
        let answer = try await call(
            "approve referral", method: "PATCH", path: path, body: RESTReferral.document(approvalCode: approvalCode),
            effect: .once)
        return try AuthorizationResponse(answer: answer, orderID: orderID, requested: nil)
    }

    public func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        let hasExtensions = try await hasExtensions()
        let body = RESTReferencedRequest.document(refund: request, hasExtensions: hasExtensions)
        let answer = try await call(
            "refund", method: "POST", path: Self.payment(request) + "/refunds", body: body,
            effect: hasExtensions ? .once : .eachTime)
        return try AuthorizationResponse(
            answer: answer, orderID: hasExtensions ? request.orderID : nil, requested: request.amount)
    }

    public func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        let hasExtensions = try await hasExtensions()
        let body = RESTReferencedRequest.document(capture: request, hasExtensions: hasExtensions)
        let answer = try await call(
            "capture", method: "PATCH", path: Self.payment(request) + "/capture", body: body,
            effect: hasExtensions ? .once : .eachTime)
        return try AuthorizationResponse(
            answer: answer, orderID: hasExtensions ? request.orderID : nil, requested: request.amount)
    }

    /// Where a payment, or a refund without reference to one, is posted.
    private static func resource(_ request: AuthorizationRequest) -> String {
        request.purpose == .refund ? RESTInterface.refunds : RESTInterface.payments
    }

    private static func resource(_ record: TransactionRecord) -> String {
        (record.kind == .refund ? RESTInterface.refunds : RESTInterface.payments) + "/"
            + RESTInterface.escaped(record.uniqueReference)
    }

    /// A call about a transaction that the gateway's list has just named. That it is not found then
    /// is no refusal: a part of the gateway is behind.
    private func listed<Answer>(_ call: () async throws(HostError) -> Answer) async throws(HostError) -> Answer {
        do throws(HostError) {
            return try await call()
        } catch {
            guard error.code == .refused(.transactionUnknown) else { throw error }
            throw HostError(.noAnswer, "the gateway lists the transaction, but does not find it yet")
        }
    }

    private static func payment(_ request: ReferencedRequest) -> String {
        RESTInterface.payments + "/" + RESTInterface.escaped(request.original)
    }

    /// An order of this terminal, on the bench host: other terminals may use the same order id.
    private func path(of orderID: OrderID, _ action: String = "") -> String {
        RESTInterface.orders + "/" + RESTInterface.escaped(orderID.text) + action + "?terminal="
            + RESTInterface.escaped(account.terminalID)
    }

    /// A host for tests announces itself with the answer to the first request: that for a token, or
    /// where the application has the tokens, one for the terminal's settings.
    public var testOnlyReason: String? {
        get async {
            let exchange = exchange
            if !exchange.hasAnswered, (try? await accessToken()) != nil, !exchange.hasAnswered {
                _ = try? await settings()
            }
            owesAnnouncement = !exchange.hasAnswered
            return exchange.testOnlyReason
        }
    }

    /// Before the first request that moves money, what was asked for in vain: whether the host is
    /// one for tests.
    ///
    /// - Throws: ``HostError/Failure/unreachable``, and nothing was sent, if it is, or does not
    ///   answer again.
    func hearAnnouncement() async throws(HostError) {
        if !exchange.hasAnswered {
            do throws(HostError) {
                _ = try await settings()
            } catch {
                guard ![.failed(.unreachable), .failed(.noAnswer)].contains(error.code) else {
                    throw error.beforeRequest
                }
            }
        }
        owesAnnouncement = false
        guard let reason = exchange.testOnlyReason else { return }
        throw HostError(.unreachable, "the host is for tests (\(reason)): nothing was sent")
    }

    /// The published interface gives refunds and captures no order ids.
    public func knowsReferencedRequestsByOrder() async throws(HostError) -> Bool { try await hasExtensions() }

    /// The published interface leaves these to the gateway's configuration.
    public func fieldsNotCarried() async throws(HostError) -> Set<PaymentField> {
        try await hasExtensions()
            ? []
            : [
                .descriptor, .externalID, .duplicateCheck, .tipAdjustment, .partialApproval, .signature,
                .referralApproval,
            ]
    }

    public func status(of orderID: OrderID) async throws(HostError) -> OrderStatus {
        if try await hasExtensions() {
            let answer = try await call("order status", method: "GET", path: path(of: orderID))
            return try RESTTransactions.status(answer, of: orderID)
        }
        guard let record = try await find(orderID) else { return .notSeen }
        let payment = try await listed { () async throws(HostError) in
            try await call("order status", method: "GET", path: Self.resource(record))
        }
        return try RESTTransactions.status(payment: payment, of: orderID)
    }

    public func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page {
        let hasExtensions = try await hasExtensions()
        var page = try await list(query, hasExtensions)
        guard query.orderID != nil, !hasExtensions else { return page }
        // The published list has the authorized amount only; the payment itself tells what was
        // requested.
        for index in page.indices where page[index].kind != .refund {
            let path = Self.resource(page[index])
            let payment = try await listed { () async throws(HostError) in
                try await call("payment", method: "GET", path: path)
            }
            let amount = try RESTTransactions.requestedAmount(payment, of: page[index].orderID)
            page.records[index].amount = amount ?? page[index].amount
        }
        return page
    }

    private func list(_ query: TransactionQuery, _ hasExtensions: Bool) async throws(HostError) -> TransactionQuery.Page
    {
        let parameters = try RESTTransactions.parameters(
            query, terminalID: account.terminalID, hasExtensions: hasExtensions)
        let text = parameters.map { "\($0.name)=\(RESTInterface.escaped($0.value))" }.joined(separator: "&")
        return try RESTTransactions.page(
            try await call("transactions", method: "GET", path: RESTInterface.transactions + "?" + text))
    }

    /// The order's own transaction. The published interface gives refunds of a payment no order
    /// ids: they may be listed under that of the payment.
    private func find(_ orderID: OrderID, _ finding: Advice.Finding = .notLookedUp) async throws(HostError)
        -> TransactionRecord?
    {
        let page = try await list(TransactionQuery(orderID: orderID, pageSize: 100), try await hasExtensions())
        // A record that cannot be read may be the order's: it must not count as never seen.
        guard page.unreadable.allSatisfy({ $0 != nil && $0 != orderID }) else {
            throw HostError(
                .answerNotGenuine, "the gateway's list has a record of the order that cannot be read: look it up there")
        }
        let records = page.filter { $0.orderID == orderID }
        if case .transaction(let reference) = finding { return records.first { $0.uniqueReference == reference } }
        return records.first { $0.kind != .refund } ?? records.first
    }

    // MARK: Advice

    public func advise(_ advice: Advice) async throws(HostError) {
        let hasExtensions = try await hasExtensions()
        switch advice.result {
        case .finished(let chipData, let signature):
            // The published interface does not ask how the card ended it.
            guard hasExtensions else { return }
            let body = RESTCompletion.document(chipData: chipData, signature: signature)
            _ = try await call(
                "complete", method: "PATCH", path: path(of: advice.orderID, "/completion"), body: body, effect: .once)
        // A gateway without our extensions would pay the refund.
        case .declinedOffline(let request) where request.purpose == .refund:
            throw HostError(.notSupported, "the interface records no declined refunds")
        case .declinedOffline(let request): try await recordDecline(request, hasExtensions)
        case .reversed(let reason):
            let body = RESTReferencedRequest.document(reason)
            if hasExtensions {
                let path = path(of: advice.orderID, "/reverse")
                let answer = try await call("reverse", method: "PATCH", path: path, body: body, effect: .once)
                guard case .reversed = try RESTTransactions.status(answer, of: advice.orderID) else {
                    throw .notReversed
                }
            } else {
                try await reverse(advice.orderID, advice.finding, body)
            }
        }
    }

    /// Has the gateway record a decline. A gateway that does not look at `offlineProcessing`
    /// decides on a payment: what it approved is reversed.
    ///
    /// - Throws: ``HostError/Refusal/notSupported`` after such a reversal.
    private func recordDecline(_ request: AuthorizationRequest, _ hasExtensions: Bool) async throws(HostError) {
        let body = try RESTPayment.document(
            request, isDecline: true, deviceType: account.deviceType, hasExtensions: hasExtensions)
        var finding: Advice.Finding?
        do throws(HostError) {
            let answer = try await call(
                "record decline", method: "POST", path: Self.resource(request), body: body, effect: .once)
            // A host with our extensions records it, and changes no order that it has.
            if hasExtensions { return }
            if !RESTAnswer.isOfAnother(than: request.orderID, answer) {
                if RESTAnswer.isDeclined(answer) { return }
                finding = answer["uniqueReference"]?.text.map { .transaction(uniqueReference: $0) }
            }
        } catch {
            guard error.code == .refused(.orderAlreadyProcessed) else { throw error }
        }
        let found: TransactionRecord?
        do throws(HostError) {
            found = try await find(request.orderID, finding ?? .notLookedUp)
        } catch {
            // The gateway refused its list, and has not said what it made of the advice.
            throw error.isRefusal ? error.afterRequest : error
        }
        guard let record = found else {
            throw HostError(.noAnswer, "the gateway's list does not have the declined payment yet")
        }
        switch record.state {
        case .declined, .voided, .reversed: return
        case .pending: throw HostError(.noAnswer, "the gateway has not decided on the declined payment yet")
        case .approved, .approvedOffline, .captured, .settled:
            // It may be another's: the terminal compares it before it reverses.
            guard finding != nil else {
                throw HostError(.orderAlreadyProcessed, "the gateway has an order with this id")
            }
            do throws(HostError) {
                try await listed { () async throws(HostError) in
                    try await reverse(record, RESTReferencedRequest.document(.cardDeclined))
                }
            } catch {
                // That would say that nothing was charged.
                guard error.code != .refused(.notSupported) else { throw HostError(.notAllowed, error.message) }
                throw error
            }
            throw HostError(.notSupported, "the gateway charged what the card had declined; the charge was reversed")
        }
    }

    /// Reverses the transaction that was found, else what the list of transactions has under the
    /// order id. What is not there may still be on its way: its reversal stays due for a while.
    ///
    /// - Throws: ``HostError/Refusal/transactionUnknown`` if the gateway does not know the
    ///   transaction that was found, even after a while.
    private func reverse(_ orderID: OrderID, _ finding: Advice.Finding, _ body: JSON) async throws(HostError) {
        if let record = try await find(orderID, finding) {
            guard finding != .nothing else {
                throw HostError(
                    .noAnswer,
                    "the gateway has an order with this id by now, which is compared first: the reversal stays pending")
            }
            doubts[orderID] = nil
            return try await listed { () async throws(HostError) in try await reverse(record, body) }
        }
        let first = doubts[orderID] ?? instant()
        doubts[orderID] = first
        let mayStillCome = instant() - first < Self.inDoubtWindow
        if case .transaction(let reference) = finding {
            // A list may be late, or leave out what is old: the reference says it all.
            do throws(HostError) {
                try await reverse(reference, at: RESTInterface.payments, body, of: orderID)
            } catch {
                guard error.code == .refused(.transactionUnknown), mayStillCome else { throw error }
                throw HostError(
                    .noAnswer, "the gateway does not have the payment at the moment: the reversal stays pending")
            }
        } else if mayStillCome {
            throw HostError(
                .noAnswer, "the gateway has not received the order, which may still arrive: the reversal stays pending")
        }
        doubts[orderID] = nil
    }

    private func reverse(_ record: TransactionRecord, _ body: JSON) async throws(HostError) {
        guard ![.reversed, .declined, .voided].contains(record.state) else { return }
        if record.kind == .refund {
            // The reversal of a refund has no body.
            try await reverse(record.uniqueReference, at: RESTInterface.refunds, nil, of: record.orderID)
        } else {
            try await reverse(record.uniqueReference, at: RESTInterface.payments, body, of: record.orderID)
        }
    }

    private func reverse(_ reference: String, at resource: String, _ body: JSON?, of orderID: OrderID)
        async throws(HostError)
    {
        let path = resource + "/" + RESTInterface.escaped(reference) + "/reverse"
        let answer = try await call("reverse", method: "PATCH", path: path, body: body, effect: .once)
        guard answer["uniqueReference"]?.text == reference,
            case .reversed = try RESTTransactions.status(payment: answer, of: orderID)
        else { throw .notReversed }
    }
}

extension HostError {
    /// A status of success says nothing: the answer must name the transaction as reversed.
    fileprivate static let notReversed = HostError(
        .answerNotGenuine, "the gateway's answer does not say that the payment was reversed: the reversal stays pending"
    )
}

import CardCapture
public import PaymentTerminal

/// The list of transactions, and the other answers of the REST interface about orders.
public enum RESTTransactions {
    /// The parameters of a search.
    ///
    /// - Parameter hasExtensions: whether the host has what the published search has not: states
    ///   and kinds one by one, phrases, an order, pages by number.
    /// - Throws: ``HostError/Refusal/notSupported`` for what it cannot search by.
    public static func parameters(
        _ query: TransactionQuery, terminalID: String, hasExtensions: Bool
    ) throws(HostError) -> [(name: String, value: String)] {
        var parameters = [(name: "terminal", value: terminalID), ("pageSize", String(query.pageSize))]
        if let orderID = query.orderID { parameters.append(("orderId", orderID.text)) }
        if let reference = query.uniqueReference { parameters.append(("uniqueReference", reference)) }
        if let period = query.period {
            parameters.append(("afterDate", ISODate.text(Timestamp(secondsSince1970: period.lowerBound))))
            parameters.append(("beforeDate", ISODate.text(Timestamp(secondsSince1970: period.upperBound))))
        }
        if hasExtensions {
            parameters += query.states.map(\.rawValue).sorted().map { ("cp_state", $0) }
            parameters += query.kinds.map(\.rawValue).sorted().map { ("cp_kind", $0) }
            if let phrase = query.phrase { parameters.append(("cp_phrase", phrase)) }
            parameters.append(("cp_order", query.order.rawValue))
            parameters.append(("cp_ascending", query.isAscending ? "true" : "false"))
            if query.page > 0, query.continuation == nil { parameters.append(("next", String(query.page))) }
        } else {
            guard query.states.isEmpty, query.phrase == nil, query.order == .time, !query.isAscending,
                query.page == 0 || query.continuation != nil
            else {
                throw HostError(
                    .notSupported, "the gateway can search by order, reference, kind and period only: remove the other criteria")
            }
            switch query.kinds {
            case []: break
            case [.refund]: parameters.append(("resourceType", "REFUND"))
            default:
                throw HostError(
                    .notSupported, "the gateway can search by order, reference, kind and period only: remove the other criteria")
            }
        }
        if let continuation = query.continuation { parameters.append(("next", continuation)) }
        return parameters
    }

    public static func document(_ page: TransactionPage, terminalID: String) -> JSON {
        .object(["data": .list(page.map { document($0, terminalID: terminalID) }), "next": page.next.map { .text($0) }])
    }

    private static func document(_ record: TransactionRecord, terminalID: String) -> JSON {
        let amount = record.authorizedAmount ?? record.amount
        return .object([
            "uniqueReference": .text(record.uniqueReference), "terminal": .text(terminalID), "orderId": .text(record.orderID.text),
            "dateTime": record.timestamp.map { .text($0) }, "maskedPan": record.maskedPAN.map { .text($0) },
            "type": .text(RESTAnswer.type(record.kind)),
            "resultCode": record.responseCode.map { .text(ResultCode(responseCode: $0).rawValue) },
            "status": .text(RESTAnswer.status(record)), "currency": amount.map { .text($0.currency.code) },
            "amount": amount.map { .number((record.kind == .refund ? "-" : "") + $0.decimal) },
            RESTInterface.extensions: .object([
                "kind": .text(record.kind.rawValue), "state": .text(record.state.rawValue), "amount": record.amount.map { .money($0) },
                "authorizedAmount": record.authorizedAmount.map { .money($0) },
                "refundedAmount": record.refundedAmount.map { .money($0) }, "responseCode": record.responseCode.map { .text($0) },
                "approvalCode": record.approvalCode.map { .text($0) }, "original": record.original.map { .text($0) },
                "reversalReason": record.reversalReason.map { .text($0.rawValue) },
            ]),
        ])
    }

    /// A page of the list. A record that cannot be read does not hide the others.
    ///
    /// - Throws: ``HostError/Failure/answerNotGenuine`` for an answer that is not a list.
    public static func page(_ answer: JSON) throws(HostError) -> TransactionPage {
        guard let list = answer["data"]?.list, list.count <= 100 else { throw .answerNotUnderstood }
        var page: TransactionPage = []
        for item in list {
            do throws(HostError) {
                page.records.append(try TransactionRecord(item))
            } catch {
                page.unreadable.append(item["orderId"]?.text.flatMap { try? OrderID($0) })
            }
        }
        page.next = answer["next"]?.text.map { continuation($0) }
        return page
    }

    /// The gateway's `next` is the continuation, or a link that has it among its parameters.
    private static func continuation(_ next: String) -> String {
        guard let query = next.split(separator: "?", maxSplits: 1).dropFirst().first else { return next }
        let parameters = query.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false) }
        return parameters.first { $0.first == "next" }?.dropFirst().first.flatMap { RESTInterface.unescaped($0) } ?? next
    }

    // MARK: Orders, on the bench host only

    public static func document(_ status: OrderStatus, _ record: TransactionRecord?, terminalID: String) -> JSON {
        switch status {
        case .notSeen: .object(["state": .text("NOTSEEN")])
        case .pending: .object(["state": .text("PENDING")])
        case .reversed: .object(["state": .text("REVERSED")])
        case .decided(let response):
            .object([
                "state": .text("DECIDED"), "payment": record.map { RESTAnswer.document(response, $0, terminalID: terminalID) },
            ])
        }
    }

    public static func status(_ answer: JSON, of orderID: OrderID) throws(HostError) -> OrderStatus {
        switch answer["state"]?.text {
        case "NOTSEEN": return .notSeen
        case "PENDING": return .pending
        case "REVERSED": return .reversed
        case "DECIDED":
            guard let payment = answer["payment"] else { throw .answerNotUnderstood }
            return .decided(try AuthorizationResponse(answer: payment, orderID: orderID, requested: nil))
        default: throw .answerNotUnderstood
        }
    }

    /// The amount that a payment of the published interface was requested for; nil if it does not
    /// say.
    public static func requestedAmount(_ payment: JSON) throws(HostError) -> Money? {
        let order = payment["order"] ?? .null
        guard let currency = try order.read("currency", { $0.text.flatMap { Currency(code: $0) } }) else { return nil }
        return try order.read("totalAmount") { $0.money(in: currency) }
    }

    /// What a payment of the published interface says of its order.
    public static func status(payment: JSON, of orderID: OrderID) throws(HostError) -> OrderStatus {
        let result = payment["transactionResult"] ?? .null
        let isVerification = result["type"]?.text == RESTAnswer.type(.accountVerification)
        guard let status = result["status"]?.text else { throw .answerNotUnderstood }
        if RESTAnswer.undone.contains(status), !isVerification { return .reversed }
        if result["resultCode"] == nil || result["resultCode"]?.text == ResultCode.accepted.rawValue { return .pending }
        return .decided(try AuthorizationResponse(answer: payment, orderID: orderID, requested: nil))
    }
}

extension TransactionRecord {
    fileprivate init(_ item: JSON) throws(HostError) {
        let more = item[RESTInterface.extensions]
        guard let reference = item["uniqueReference"]?.text else { throw .answerNotUnderstood }
        let kind = more?["kind"]?.text.flatMap { Kind(rawValue: $0) } ?? Kind(type: item["type"]?.text)
        let state = more?["state"]?.text.flatMap { State(rawValue: $0) } ?? State(status: item["status"]?.text)
        let currency = try item.read("currency") { $0.text.flatMap { Currency(code: $0) } }
        func money(_ name: String, of document: JSON?) throws(HostError) -> Money? {
            try document?.read(name) { value in currency.flatMap { value.absolute.money(in: $0) } }
        }
        guard let kind, let state else { throw .answerNotUnderstood }
        let requested = try money("amount", of: more)
        let amount = try money("amount", of: item)
        self.init(orderID: try item.reference("orderId"), uniqueReference: reference, kind: kind, state: state, amount: requested ?? amount)
        authorizedAmount = more == nil ? amount : try money("authorizedAmount", of: more)
        timestamp = try item.read("dateTime") { $0.text.flatMap { ISODate.timestamp($0) } }
        maskedPAN = item["maskedPan"]?.text
        responseCode = more?["responseCode"]?.text
        approvalCode = more?["approvalCode"]?.text
        original = more?["original"]?.text
        refundedAmount = try money("refundedAmount", of: more)
        reversalReason = more?["reversalReason"]?.text.flatMap { ReversalReason(rawValue: $0) }
    }
}

extension TransactionRecord.Kind {
    fileprivate init?(type: String?) {
        switch type {
        case "SALE", "OFFLINE_DECLINE", "WITHDRAWAL": self = .sale
        case "PREAUTH": self = .preAuthorization
        case "COMPLETION": self = .capture
        case "REFUND": self = .refund
        case "VERIFICATION": self = .accountVerification
        default: return nil
        }
    }
}

extension TransactionRecord.State {
    fileprivate init?(status: String?) {
        switch status {
        case "READY": self = .approved
        case "PENDING", "ACCEPTED", "REVIEW", "SENT", "ADMIN", "OTHER": self = .pending
        case "DECLINED", "REFERRAL", "PICKUP", "EXPIRED": self = .declined
        case "VOID", "REVERSAL": self = .reversed
        case "COMPLETE": self = .settled
        default: return nil
        }
    }
}

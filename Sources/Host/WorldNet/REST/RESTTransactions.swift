import CardCapture
public import JSONDocument
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
        if let continuation = query.continuation { parameters.append(("next", continuation)) }
        if let period = query.period {
            parameters.append(("afterDate", ISODate.text(Timestamp(secondsSince1970: period.lowerBound))))
            if period.upperBound < .max {
                parameters.append(("beforeDate", ISODate.text(Timestamp(secondsSince1970: period.upperBound))))
            }
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
                    .notSupported,
                    "the gateway can search by order, reference, kind and period only: remove the other criteria")
            }
            switch query.kinds {
            case []: break
            case [.refund]: parameters.append(("resourceType", "REFUND"))
            default:
                throw HostError(
                    .notSupported,
                    "the gateway can search by order, reference, kind and period only: remove the other criteria")
            }
        }
        return parameters
    }

    public static func document(_ page: TransactionQuery.Page, terminalID: String) -> JSON {
        .object([
            "data": .list(page.records.map { document($0, terminalID: terminalID) }),
            "next": page.next.map { .text($0) },
        ])
    }

    private static func document(_ record: TransactionRecord, terminalID: String) -> JSON {
        let amount = record.authorizedAmount ?? record.amount
        return .object([
            "uniqueReference": .text(record.uniqueReference), "terminal": .text(terminalID),
            "orderId": .text(record.orderID.text),
            "dateTime": record.timestamp.map { .text($0) }, "maskedPan": record.maskedPAN.map { .text($0) },
            "type": .text(RESTAnswer.type(record.kind)),
            "resultCode": record.responseCode.map { .text(ResultCode(responseCode: $0).rawValue) },
            "status": .text(RESTAnswer.status(record)), "currency": amount.map { .text($0.currency.code) },
            "amount": amount.map { .number((record.kind == .refund ? "-" : "") + $0.decimal) },
            RESTInterface.extensions: .object([
                "kind": .text(record.kind.rawValue), "state": .text(record.state.rawValue),
                "amount": record.amount.map { .money($0) },
                "authorizedAmount": record.authorizedAmount.map { .money($0) },
                "refundedAmount": record.refundedAmount.map { .money($0) },
                "responseCode": record.responseCode.map { .text($0) },
                "approvalCode": record.approvalCode.map { .text($0) }, "original": record.original.map { .text($0) },
                "reversalReason": record.reversalReason.map { .text($0.rawValue) },
            ]),
        ])
    }

    /// A page of the list. One record that cannot be read does not hide the others.
    public static func page(_ answer: JSON) throws(HostError) -> TransactionQuery.Page {
        guard let list = answer["data"]?.list, list.count <= 100 else { throw .answerNotUnderstood }
        var page = TransactionQuery.Page([], next: try answer.stated("next", continuation))
        for item in list {
            do throws(HostError) {
                page.records.append(try TransactionRecord(item))
            } catch {
                page.unreadable.append(item["orderId"]?.text.flatMap { try? OrderID($0) })
            }
        }
        return page
    }

    /// What the gateway calls the next page by, to be returned as it came: a text or a number, or a
    /// link that has it among its parameters.
    private static func continuation(_ next: JSON) -> String? {
        switch next {
        case .number(let digits): return digits
        case .text(let text) where !text.isEmpty && text.utf8.count <= 1000:
            guard let query = text.split(separator: "?", maxSplits: 1).dropFirst().first else { return text }
            let parameters = query.split(separator: "&").map {
                $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            }
            return parameters.first { $0.first == "next" }?.dropFirst().first.flatMap { RESTInterface.unescaped($0) }
                ?? text
        default: return nil
        }
    }

    // MARK: Orders, on the bench host only

    public static func document(_ status: OrderStatus, _ record: TransactionRecord?, terminalID: String) -> JSON {
        switch status {
        case .notSeen: .object(["state": .text("NOTSEEN")])
        case .pending: .object(["state": .text("PENDING")])
        case .reversed: .object(["state": .text("REVERSED")])
        case .decided(let response):
            .object([
                "state": .text("DECIDED"),
                "payment": record.map { RESTAnswer.document(response, $0, terminalID: terminalID) },
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
    public static func requestedAmount(_ payment: JSON, of orderID: OrderID) throws(HostError) -> Money? {
        guard !RESTAnswer.isOfAnother(than: orderID, payment) else { throw .answerNotUnderstood }
        let order = try payment.stated("order", \.object) ?? .null
        guard let currency = try order.stated("currency", \.currency) else { return nil }
        return try order.stated("totalAmount") { $0.money(in: currency) }
    }

    /// What a payment of the published interface says of its order.
    public static func status(payment: JSON, of orderID: OrderID) throws(HostError) -> OrderStatus {
        guard !RESTAnswer.isOfAnother(than: orderID, payment) else { throw .answerNotUnderstood }
        let result = try payment.stated("transactionResult", \.object) ?? .null
        let isVerification = try result.stated("type", \.text) == RESTAnswer.type(.accountVerification)
        guard let status = result["status"]?.text else { throw .answerNotUnderstood }
        if RESTAnswer.undone.contains(status), !isVerification { return .reversed }
        if result["resultCode"] == nil || result["resultCode"]?.text == ResultCode.accepted.rawValue { return .pending }
        return .decided(try AuthorizationResponse(answer: payment, orderID: orderID, requested: nil))
    }
}

extension TransactionRecord {
    fileprivate init(_ item: JSON) throws(HostError) {
        let more = try item.stated(RESTInterface.extensions, \.object)
        guard let reference = item["uniqueReference"]?.text else { throw .answerNotUnderstood }
        let kind = try more?.stated("kind") { $0.text.flatMap { Kind(rawValue: $0) } } ?? Kind(type: item["type"]?.text)
        let state =
            try more?.stated("state") { $0.text.flatMap { State(rawValue: $0) } } ?? State(status: item["status"]?.text)
        let currency = try item.stated("currency", \.currency)
        guard let kind, let state else { throw .answerNotUnderstood }
        func money(_ document: JSON?, _ name: String) throws(HostError) -> Money? {
            try document?.stated(name) { value in currency.flatMap { value.money(in: $0, isRefund: kind == .refund) } }
        }
        let listed = try money(item, "amount")
        self.init(
            orderID: try item.answeredReference("orderId"), uniqueReference: reference, kind: kind, state: state,
            amount: try money(more, "amount") ?? listed)
        authorizedAmount = try more == nil ? listed : money(more, "authorizedAmount")
        timestamp = try item.stated("dateTime", \.timestamp)
        maskedPAN = item["maskedPan"]?.text
        responseCode = more?["responseCode"]?.text
        approvalCode = more?["approvalCode"]?.text
        original = more?["original"]?.text
        refundedAmount = try money(more, "refundedAmount")
        reversalReason = try more?.stated("reversalReason") { $0.text.flatMap { ReversalReason(rawValue: $0) } }
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

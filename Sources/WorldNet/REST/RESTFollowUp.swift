public import CardCapture
public import PaymentTerminal

/// Refunds, captures and reversals on the REST interface.
public enum RESTFollowUp {
    public static func document(_ request: FollowUp, hasExtensions: Bool) -> JSON {
        let more: JSON? =
            hasExtensions
            ? .object([
                "orderId": .text(request.orderID.text), "dateTime": .text(request.timestamp), "reason": request.reason.map { .text($0) },
            ]) : nil
        return switch request.kind {
        case .refund:
            .object([
                "operator": request.operatorName.map { .text($0) }, "refundAmount": .money(request.amount),
                "refundReason": .text(request.reason ?? "refund"), RESTInterface.extensions: more,
            ])
        case .capture:
            .object([
                "operator": request.operatorName.map { .text($0) }, "captureAmount": .money(request.amount),
                RESTInterface.extensions: more,
            ])
        }
    }

    public static func document(_ reason: ReversalReason) -> JSON { .object(["reversalReason": .text(reason.rawValue)]) }

    /// The reason that a reversal names, ``ReversalReason/requested`` where it is none of ours.
    public static func reason(_ document: JSON) -> ReversalReason {
        document["reversalReason"]?.text.flatMap { ReversalReason(rawValue: $0) } ?? .requested
    }
}

extension FollowUp {
    /// What the body of a refund or a capture asks for.
    ///
    /// - Parameters:
    ///   - record: the original transaction.
    ///   - orderID: where the body names none.
    public init(
        _ document: JSON, _ kind: Kind, of record: TransactionRecord, terminalID: String, orderID: OrderID, now: Timestamp
    ) throws(HostError) {
        let more = document[RESTInterface.extensions]
        guard let whole = record.authorizedAmount else { throw HostError(.notAllowed, "the transaction was not approved") }
        let name = kind == .refund ? "refundAmount" : "captureAmount"
        let amount: Money
        if let told = document[name] {
            guard let money = told.money(in: whole.currency) else { throw .invalidField(name) }
            amount = money
        } else {
            guard kind == .capture else { throw .invalidField(name) }
            amount = whole
        }
        let ownOrder: OrderID = if let more, more["orderId"] != nil { try more.reference("orderId") } else { orderID }
        self.init(
            orderID: ownOrder, kind: kind,
            original: record.uniqueReference, amount: amount, timestamp: more?["dateTime"]?.text.flatMap { ISODate.timestamp($0) } ?? now,
            terminalID: terminalID, operatorName: document["operator"]?.text,
            reason: more == nil ? document["refundReason"]?.text : more?["reason"]?.text)
    }
}

public import CardCapture
public import JSONDocument
public import PaymentTerminal

/// Refunds, captures and reversals on the REST interface.
public enum RESTReferencedRequest {
    /// The body of a refund.
    public static func document(refund request: ReferencedRequest, hasExtensions: Bool) -> JSON {
        .object([
            "operator": request.operatorName.map { .text($0) }, "refundAmount": .money(request.amount),
            "refundReason": .text(request.reason ?? "refund"),
            RESTInterface.extensions: hasExtensions ? extensions(request) : nil,
        ])
    }

    /// The body of a capture.
    public static func document(capture request: ReferencedRequest, hasExtensions: Bool) -> JSON {
        .object([
            "operator": request.operatorName.map { .text($0) }, "captureAmount": .money(request.amount),
            RESTInterface.extensions: hasExtensions ? extensions(request) : nil,
        ])
    }

    private static func extensions(_ request: ReferencedRequest) -> JSON {
        .object([
            "orderId": .text(request.orderID.text), "dateTime": .text(request.timestamp),
            "reason": request.reason.map { .text($0) },
        ])
    }

    public static func document(_ reason: ReversalReason) -> JSON {
        .object(["reversalReason": .text(reason.rawValue)])
    }

    /// The reason that a reversal names, ``ReversalReason/requested`` for an unknown one.
    public static func reason(_ document: JSON) -> ReversalReason {
        document["reversalReason"]?.text.flatMap { ReversalReason(rawValue: $0) } ?? .requested
    }
}

extension ReferencedRequest {
    /// What the body of a refund or a capture asks for.
    ///
    /// - Parameters:
    ///   - record: the original transaction.
    ///   - orderID: for a body without an order id.
    public init(
        _ document: JSON, isRefund: Bool, of record: TransactionRecord, terminalID: String, orderID: OrderID,
        now: Timestamp
    ) throws(HostError) {
        let more = document[RESTInterface.extensions]
        guard let whole = record.authorizedAmount else {
            throw HostError(.notAllowed, "the transaction was not approved")
        }
        let name = isRefund ? "refundAmount" : "captureAmount"
        let amount: Money
        if let stated = try document.requested(name, { $0.money(in: whole.currency) }) {
            amount = stated
        } else {
            guard !isRefund else { throw .invalidField(name) }
            amount = whole
        }
        let ownOrder: OrderID = if let more, more["orderId"] != nil { try more.reference("orderId") } else { orderID }
        self.init(
            orderID: ownOrder, original: record.uniqueReference, amount: amount,
            timestamp: try more?.requested("dateTime", \.timestamp) ?? now,
            terminalID: terminalID, operatorName: document["operator"]?.text,
            reason: more == nil ? document["refundReason"]?.text : more?["reason"]?.text)
    }
}

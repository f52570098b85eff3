public import PaymentTerminal

extension XMLMessage {
    /// A `REFUND`.
    ///
    /// - Parameter namesOrder: Whether to send the order id of the request itself, which the
    ///   published interface does not support.
    public init(refund request: ReferencedRequest, namesOrder: Bool) {
        self.init(.refund, request, namesOrder: namesOrder)
        self[.operatorName] = request.operatorName ?? request.terminalID
        self[.reason] = request.reason ?? "refund"
    }

    /// A `PREAUTHCOMPLETION`.
    ///
    /// - Parameter namesOrder: Whether to send the order id of the request itself, which the
    ///   published interface does not support.
    public init(capture request: ReferencedRequest, namesOrder: Bool) {
        self.init(.completion, request, namesOrder: namesOrder)
    }

    private init(_ form: XMLForm, _ request: ReferencedRequest, namesOrder: Bool) {
        self.init(form)
        self[.uniqueReference] = request.original
        self[.terminalID] = request.terminalID
        self[.amount] = request.amount.decimal
        self[.dateTime] = GatewayDate.text(request.timestamp)
        if namesOrder { self[.ownOrderID] = request.orderID.text }
    }
}

extension ReferencedRequest {
    /// What a `REFUND` or a `PREAUTHCOMPLETION` asks for.
    ///
    /// - Parameters:
    ///   - currency: of the original order: the message does not have it.
    ///   - orderID: for a message without an order id. Equal messages get equal ids, so that a
    ///     repeated one is refused.
    public init(_ message: XMLMessage, currency: Currency, orderID: OrderID) throws(HostError) {
        self.init(
            orderID: message[.ownOrderID] == nil ? orderID : try message.reference(.ownOrderID),
            original: message[.uniqueReference] ?? "",
            amount: try message.money(.amount, currency), timestamp: try message.timestamp(),
            terminalID: message[.terminalID] ?? "",
            operatorName: message[.operatorName], reason: message[.reason])
    }
}

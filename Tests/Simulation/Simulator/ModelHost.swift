internal import CardCapture
internal import PaymentTerminal

/// A host, as far as a terminal must rely on it: orders, what was decided on each, and whose money it holds.
///
/// - With the extensions it knows every order by its id, and a reversal that comes first keeps its order out.
/// - Without them refunds and captures have no order ids at the host: it can neither be asked after them nor undo them,
///   and it does not know them again when they are repeated. Nothing can be undone that has not come.
final class ModelHost {
    enum State: String {
        case approved, declined, reversed
        /// Reversed before it came.
        case barred
    }

    struct Order {
        var state: State
        let kind: TransactionRecord.Kind
        var requested: Money?
        var authorized: Money?
        var answer: AuthorizationResponse?
        /// By the terminal's clock.
        var timestamp: Timestamp?
        /// When it came.
        let time: Int64
        /// How often the order's money is held; more than once is the fault that everything else is there to prevent.
        var charges = 0

        fileprivate var booking: Books.Booking {
            switch kind {
            case .sale, .preAuthorization, .accountVerification: .authorized
            case .capture: .captured
            case .refund: .refunded
            }
        }
    }

    enum Decision: UInt64 {
        case approve, decline, approvePart
    }

    var hasExtensions = true
    /// Whether the host can be asked for a list of its transactions.
    var hasList = true
    /// For how long it refuses an order id that it has seen, in nanoseconds.
    var memory = Int64.max
    /// What the issuer makes of an order, where that is not an approval.
    var decisions: [OrderID: Decision] = [:]
    private(set) var orders: [OrderID: Order] = [:]
    private(set) var books = Books()
    private var references = 0
    /// When the reversal of an order that had not come was asked for first.
    private var firstReversal: [OrderID: Int64] = [:]

    /// How long an order may be on its way: after that one that has not come does not come any more.
    static let inDoubtWindow: Int64 = 300_000_000_000

    func holdsMoney(of order: OrderID) -> Bool { orders[order]?.state == .approved }
    func charges(of order: OrderID) -> Int { orders[order]?.charges ?? 0 }
    func isReferenced(_ order: OrderID) -> Bool { orders[order].map { $0.kind == .refund || $0.kind == .capture } ?? false }

    /// What the host finds by its own name for a transaction.
    func order(_ reference: String) -> (key: OrderID, value: Order)? {
        orders.first { Self.record($0.key, $0.value).uniqueReference == reference }
    }

    /// What the host finds by an order id.
    private func found(_ id: OrderID) -> Order? { !hasExtensions && isReferenced(id) && orders[id]?.timestamp == nil ? nil : orders[id] }

    // MARK: Money

    /// - Parameter otherAmount: Authorises more than was asked for, as a host with a fault would.
    func authorize(_ request: AuthorizationRequest, at now: Int64, otherAmount: Bool = false) -> Result<AuthorizationResponse, HostError> {
        if request.processing == .approvedOffline { return record(request, at: now) }
        let order = Order(
            state: .declined, kind: TransactionRecord.Kind(request.purpose), requested: request.amount, timestamp: request.timestamp,
            time: now)
        return decide(request.orderID, new: order, amount: request.amount, otherAmount: otherAmount)
    }

    func refer(
        _ kind: TransactionRecord.Kind, _ request: ReferencedRequest, at now: Int64
    ) -> Result<AuthorizationResponse, HostError> {
        guard let original = orders.values.first(where: { $0.answer?.uniqueReference == request.original }) else {
            return .failure(HostError(.transactionUnknown, "transaction not found"))
        }
        guard original.state == .approved, let authorized = original.authorized, request.amount.minorUnits <= authorized.minorUnits else {
            return .failure(HostError(.notAllowed, "the transaction is not in a state for this"))
        }
        let timestamp = hasExtensions ? request.timestamp : nil
        let order = Order(state: .declined, kind: kind, requested: request.amount, timestamp: timestamp, time: now)
        return decide(request.orderID, new: order, amount: request.amount, otherAmount: false)
    }

    private func decide(_ id: OrderID, new: Order, amount: Money, otherAmount: Bool) -> Result<AuthorizationResponse, HostError> {
        var order = new
        if let known = found(id), new.time - known.time < memory {
            return .failure(HostError(.orderAlreadyProcessed, "the order was already processed"))
        }
        let decision = decisions[id] ?? .approve
        var authorized = decision == .approvePart ? max(1, amount.minorUnits / 2) : amount.minorUnits
        if otherAmount { authorized = amount.minorUnits * 10 }
        references += 1
        let code =
            switch decision {
            case .approve: "00"
            case .approvePart: "10"
            case .decline: "05"
            }
        let isApproved = decision != .decline
        let money = Money(minorUnits: isApproved ? authorized : 0, currency: amount.currency)
        let answer = AuthorizationResponse(
            uniqueReference: "U\(references)",
            issuer: IssuerAnswer.Answer(responseCode: code, approvalCode: isApproved ? "123456" : nil),
            authorizedAmount: money, message: isApproved ? "APPROVAL" : "DECLINED")
        let held = orders[id].map { $0.state == .approved ? $0.charges : 0 } ?? 0
        order.state = isApproved ? .approved : .declined
        order.authorized = isApproved ? money : nil
        order.answer = answer
        order.charges = held + (isApproved ? 1 : 0)
        orders[id] = order
        if isApproved { books.book(order.booking, money.minorUnits, of: id.text) }
        return .success(answer)
    }

    /// Takes over what another host has recorded of its orders.
    func record(_ records: [TransactionRecord], at now: Int64) {
        for record in records {
            guard let state = State(record.state) else { continue }
            let issuer = IssuerAnswer.Answer(responseCode: record.responseCode ?? "", approvalCode: record.approvalCode)
            let answer = AuthorizationResponse(
                uniqueReference: record.uniqueReference, issuer: issuer,
                authorizedAmount: record.authorizedAmount ?? Money(minorUnits: 0, currency: .euro), message: "")
            orders[record.orderID] = Order(
                state: state, kind: record.kind, requested: record.amount, authorized: record.authorizedAmount, answer: answer,
                timestamp: record.timestamp, time: orders[record.orderID]?.time ?? now, charges: state == .approved ? 1 : 0)
            let held = state == .approved ? record.authorizedAmount?.minorUnits ?? 0 : 0
            books.set(record.orderID.text, Books.Account(authorized: held))
        }
    }

    // MARK: What the terminal tells

    func advise(_ advice: Advice, at now: Int64) -> Result<Void, HostError> {
        switch advice.result {
        case .finished, .declinedOffline: return .success(())
        case .reversed: return reverse(advice.orderID, at: now)
        }
    }

    private func record(_ request: AuthorizationRequest, at now: Int64) -> Result<AuthorizationResponse, HostError> {
        guard orders[request.orderID] == nil else {
            return .failure(HostError(.orderAlreadyProcessed, "the order was already processed"))
        }
        references += 1
        let answer = AuthorizationResponse(
            uniqueReference: "U\(references)", issuer: IssuerAnswer.Answer(responseCode: "Y1"), authorizedAmount: request.amount,
            message: "RECORDED", isAuthorized: true)
        orders[request.orderID] = Order(
            state: .approved, kind: TransactionRecord.Kind(request.purpose), requested: request.amount, authorized: request.amount,
            answer: answer, timestamp: request.timestamp, time: now, charges: 1)
        books.book(request.purpose == .refund ? .refunded : .authorized, request.amount.minorUnits, of: request.orderID.text)
        return .success(answer)
    }

    private func reverse(_ id: OrderID, at now: Int64) -> Result<Void, HostError> {
        guard let order = found(id) else {
            guard hasExtensions else { return reverseUnknown(id, at: now) }
            orders[id] = Order(state: .barred, kind: .sale, time: now)
            return .success(())
        }
        if order.state == .approved {
            orders[id]?.state = .reversed
            orders[id]?.charges = 0
            books.reverse(id.text)
        }
        return .success(())
    }

    private func reverseUnknown(_ id: OrderID, at now: Int64) -> Result<Void, HostError> {
        let first = firstReversal[id] ?? now
        firstReversal[id] = first
        guard now - first >= Self.inDoubtWindow else {
            return .failure(HostError(.noAnswer, "the order has not come, and may still be on its way"))
        }
        return .success(())
    }

    // MARK: What the terminal asks

    func status(of id: OrderID) -> Result<OrderStatus, HostError> {
        guard let order = found(id) else { return .success(.notSeen) }
        switch order.state {
        case .reversed, .barred: return .success(.reversed)
        case .approved, .declined:
            guard let answer = order.answer else { return .success(.pending) }
            return .success(.decided(answer))
        }
    }

    func transactions(_ query: TransactionQuery) -> Result<TransactionPage, HostError> {
        guard hasList else { return .failure(HostError(.notSupported, "the host has no list")) }
        let all = orders.filter { id, order in
            guard let order = found(id), query.orderID == nil || query.orderID == id else { return false }
            guard let period = query.period else { return true }
            return order.timestamp.map { period.contains($0.secondsSince1970) } ?? false
        }
        let page = query.continuation.flatMap { Int($0) } ?? query.page
        let records = all.sorted { $0.key.text < $1.key.text }.dropFirst(page * query.pageSize)
        let next = records.count > query.pageSize ? String(page + 1) : nil
        return .success(TransactionPage(records.prefix(query.pageSize).map { Self.record($0.key, $0.value) }, next: next))
    }

    static func record(_ id: OrderID, _ order: Order) -> TransactionRecord {
        let state: TransactionRecord.State =
            switch order.state {
            case .approved: order.answer == nil ? .approvedOffline : .approved
            case .declined: .declined
            case .reversed, .barred: .reversed
            }
        var record = TransactionRecord(
            orderID: id, uniqueReference: order.answer?.uniqueReference ?? "N-\(id.text)", kind: order.kind, state: state,
            amount: order.requested)
        record.authorizedAmount = order.authorized
        record.timestamp = order.timestamp
        return record
    }
}

extension ModelHost.State {
    /// Nil for an order that is not decided.
    fileprivate init?(_ state: TransactionRecord.State) {
        switch state {
        case .approved, .approvedOffline, .captured, .settled: self = .approved
        case .declined: self = .declined
        case .reversed, .voided: self = .reversed
        case .pending: return nil
        }
    }
}

extension TransactionRecord.Kind {
    fileprivate init(_ purpose: AuthorizationRequest.Purpose) {
        switch purpose {
        case .sale: self = .sale
        case .preAuthorization: self = .preAuthorization
        case .refund: self = .refund
        case .accountVerification: self = .accountVerification
        }
    }
}

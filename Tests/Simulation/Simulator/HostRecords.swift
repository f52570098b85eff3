internal import CardCapture
internal import PaymentTerminal

/// What the host tells of its orders.
extension ModelHost {
    func status(of id: OrderID) -> Result<OrderStatus, HostError> {
        guard let order = found(id) else { return .success(.notSeen) }
        switch order.state {
        case .reversed, .barred: return .success(.reversed)
        case .approved, .declined, .pending, .referred:
            guard let answer = order.answer else { return .success(.pending) }
            return .success(.decided(answer))
        }
    }

    func transactions(_ query: TransactionQuery) -> Result<TransactionQuery.Page, HostError> {
        guard hasList else { return .failure(HostError(.notSupported, "the host has no list")) }
        var all: [TransactionRecord] = []
        for id in Set(orders.keys).union(foreign.keys).sorted(by: { $0.text < $1.text }) {
            guard query.orderID == nil || query.orderID == id, let order = listed(id) else { continue }
            if let period = query.period {
                guard let time = order.timestamp?.secondsSince1970, period.contains(time) else { continue }
            }
            all.append(Self.record(id, order))
        }
        let size = min(query.pageSize, pageLimit ?? .max)
        let page = query.continuation.flatMap { Int($0) } ?? query.page
        let rest = all.dropFirst(page * size)
        return .success(
            TransactionQuery.Page(Array(rest.prefix(size)), next: rest.count > size ? String(page + 1) : nil))
    }

    /// What the list shows of an order, which may be behind.
    func listed(_ id: OrderID) -> Order? {
        guard found(id) != nil else { return nil }
        guard let (order, end) = stale[id], now() < end else { return found(id) }
        return order
    }

    /// What the host finds by its own name for a transaction, or by the one that it had while the
    /// host was undecided.
    func order(_ reference: String) -> (key: OrderID, value: Order)? {
        [orders, foreign].lazy.compactMap { orders in
            orders.first {
                [Self.record($0.key, $0.value).uniqueReference, Self.undecided($0.key)].contains(reference)
            }
        }.first
    }

    private static func undecided(_ id: OrderID) -> String { "N-\(id.text)" }

    static func record(_ id: OrderID, _ order: Order) -> TransactionRecord {
        let state: TransactionRecord.State =
            switch order.state {
            case .approved: order.isSettled ? .settled : order.isOffline ? .approvedOffline : .approved
            case .declined, .referred: .declined
            case .reversed, .barred: .reversed
            case .pending: .pending
            }
        var record = TransactionRecord(
            orderID: id, uniqueReference: order.answer?.uniqueReference ?? undecided(id), kind: order.kind,
            state: state,
            amount: order.requested)
        record.authorizedAmount = order.authorized
        record.timestamp = order.timestamp
        record.maskedPAN = order.maskedPAN
        if order.state == .referred { record.responseCode = order.answer?.issuer.responseCode }
        return record
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
                state: state, kind: record.kind, requested: record.amount, authorized: record.authorizedAmount,
                answer: answer,
                timestamp: record.timestamp, time: orders[record.orderID]?.time ?? now,
                charges: state == .approved ? 1 : 0)
            let held = state == .approved ? record.authorizedAmount?.minorUnits ?? 0 : 0
            books.set(record.orderID.text, Books.Account(authorized: held))
        }
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

internal import CardCapture
internal import PaymentTerminal

/// What a host makes of a message beside what is common.
extension World {
    private static let second: Int64 = 1_000_000_000

    /// A host's message, by what may be refused of it.
    enum HostMessage {
        case money, reversal, advice, status, list
    }

    // MARK: Money

    func hostAuthorizes(_ request: AuthorizationRequest) -> Result<AuthorizationResponse, HostError> {
        arrived(request)
        let order = request.orderID
        if let error = ownRefusal(of: .money, order) { return .failure(error) }
        let answer = host.authorize(request, at: now, whim(order))
        decideLater(order)
        if request.processing == .online, strikes(.inquiryRefused, .corners, order: order) {
            lostAnswers.insert(order)
            refusesInquiry.insert(order)
            showsUndone.insert(order)
            endProcess(after: Self.second)
        }
        if request.processing != .online, host.holdsMoney(of: order), strikes(.voided, .corners, order: order) {
            void(order)
        }
        return answer
    }

    /// The merchant takes back at the gateway's own page what the terminal has sent, whatever the
    /// terminal hears of it.
    private func void(_ order: OrderID) {
        if draw(.corners, "answer lost", 3) > 0 { lostAnswers.insert(order) }
        loop.after(Int64(1 + draw(.corners, "voided after", 10)) * Self.second, "voided") { [self] in
            guard case .success = host.reverse(order, at: now) else { return }
            shop.voided.insert(order)
            note("the merchant takes back \(order) at the gateway")
        }
    }

    func hostRefers(_ kind: TransactionRecord.Kind, _ request: ReferencedRequest) -> Result<
        AuthorizationResponse, HostError
    > {
        arrived(request)
        let order = request.orderID
        if let error = ownRefusal(of: .money, order) { return .failure(error) }
        let answer = host.refer(kind, request, at: now, whim(order, isReferenced: true))
        if kind == .refund, case .success(let refund) = answer, refund.issuer.approvalCode != nil {
            checkRefund(order, of: request.original)
        }
        decideLater(order)
        return answer
    }

    /// What the terminal is reversing, or has reversed, is not paid back once more.
    private func checkRefund(_ order: OrderID, of reference: String) {
        guard !shop.wasRestored, !isRotten, shop.lost.isEmpty, let original = host.order(reference)?.key,
            case .reversed? = shop.known[original]
        else { return }
        violated(.paidBackTwice, "\(order) refunds \(original), which is being reversed")
    }

    func arrived(_ request: AuthorizationRequest) {
        guard request.purpose != .accountVerification else { return }
        shop.arrived(request.orderID, isDeferred: request.processing != .online, self)
    }

    func arrived(_ request: ReferencedRequest) { shop.arrived(request.orderID, isDeferred: false, self) }

    private func whim(_ order: OrderID, isReferenced: Bool = false) -> ModelHost.Whim {
        var whim = ModelHost.Whim()
        if !isReferenced {
            whim.otherAmount = strikes(.otherAmount, .network, order: order)
            if strikes(.silentForOne, .network, order: order) { shop.silenced.insert(order) }
        }
        guard host.found(order) == nil else { return whim }
        // A refund or a capture that nobody can ask after must be decided at once.
        if !isReferenced || host.hasExtensions { whim.isPending = strikes(.pendingOrder, .corners, order: order) }
        if !isReferenced, strikes(.nothingToUndo, .corners, order: order) {
            whim.isPending = leavesNothing(of: order) || whim.isPending
        }
        if !isReferenced, strikes(.issuerData, .corners, order: order) {
            whim.issuerData = (0..<10).map { _ in UInt8(draw(.corners, "issuer's data", 256)) }
            whim.script = (0..<Int(1 + draw(.corners, "script", 130))).map { UInt8($0) }
        }
        if server != nil, strikes(.oddCode, .corners, order: order) {
            whim.code = ["08", "11", "Y1"][Int(draw(.corners, "approving code", 3))]
        }
        return whim
    }

    /// Has the host decline the order or decide later, or reverse it later, each without an answer
    /// that arrives, and then refuse to reverse it.
    ///
    /// - Returns: Whether it decides later.
    private func leavesNothing(of order: OrderID) -> Bool {
        hasNothingToUndo.insert(order)
        switch draw(.corners, "nothing to undo", 3) {
        case 0:
            host.decisions[order] = .decline
            lostAnswers.insert(order)
            return false
        case 1: return true
        default: return false
        }
    }

    private func decideLater(_ order: OrderID) {
        guard host.orders[order]?.state == .pending else { return }
        loop.after(Int64(1 + draw(.corners, "decides after", 600)) * Self.second, "host decides") { [self] in
            host.decideLater(order)
            note("the host decides on \(order): \(host.orders[order]?.state.rawValue ?? "")")
        }
    }

    func hostApprovesReferral(of order: OrderID, _ code: String) -> Result<AuthorizationResponse, HostError> {
        host.approveReferral(order, approvalCode: code)
    }

    // MARK: Advice and inquiries

    func hostAdvises(_ advice: Advice) -> Result<Void, HostError> {
        switch advice.result {
        case .finished: ownRefusal(of: .advice, advice.orderID).map { .failure($0) } ?? .success(())
        case .declinedOffline(let request): hostRecordsDecline(request)
        case .reversed: hostReverses(advice.orderID)
        }
    }

    func hostRecordsDecline(_ request: AuthorizationRequest) -> Result<Void, HostError> {
        if let error = ownRefusal(of: .advice, request.orderID) { return .failure(error) }
        host.recordDecline(request, at: now)
        return .success(())
    }

    /// The reader must have what the issuer said to the card. A decline may be the terminal's own.
    func checkIssuerData(_ issuer: IssuerAnswer.Answer, of order: OrderID?) {
        // The XML interface has no field for it.
        guard let order, !(server is XMLServer), let own = host.orders[order]?.answer?.issuer,
            own.issuerAuthenticationData != nil,
            own.approvalCode != nil, issuer.approvalCode == own.approvalCode, issuer.responseCode == own.responseCode,
            issuer.issuerAuthenticationData != own.issuerAuthenticationData || issuer.scripts != own.scripts
        else { return }
        violated(.issuerDataLost, "\(order): the card does not get what its issuer said")
    }

    func hostReverses(_ order: OrderID) -> Result<Void, HostError> {
        if host.holdsMoney(of: order), strikes(.batchCloses, .corners, order: order) {
            host.orders[order]?.isSettled = true
            // What was to be reversed stands then.
            shop.mayStayUnknown.insert(order)
        }
        // A host may also refuse to reverse what is reversed already, what it has declined, and
        // what it has not decided yet. Its record of the order says which of them it is.
        if let state = host.orders[order]?.state, [.reversed, .declined, .pending].contains(state),
            hasNothingToUndo.contains(order) || strikes(.batchCloses, .corners, order: order)
        {
            return .failure(
                HostError(.notAllowed, state == .pending ? "the order is not decided" : "the batch is closed"))
        }
        if let error = ownRefusal(of: .reversal, order) { return .failure(error) }
        if isFaulty, host.holdsMoney(of: order), hasNothingToUndo.contains(order) { lostAnswers.insert(order) }
        let before = host.status(of: order)
        let result = host.reverse(order, at: now)
        if case .success = result, isFaulty, showsUndone.remove(order) != nil {
            lostAnswers.insert(order)
            host.showOld(order, for: 60 * Self.second)
            tells[order] = (before, now + 60 * Self.second)
        }
        // After a restore, or a gap, the terminal has it from the host's list, and takes it for its
        // own. One that comes between the look at it and the reversal nobody can spare.
        if let foreign = host.reversedForeign.popFirst(), !shop.wasRestored, !shop.takenIn.contains(foreign),
            host.foreign[foreign].map({ $0.time < looks[foreign] ?? .max }) ?? true
        {
            violated(.foreignReversed, "\(foreign) of another terminal, or of the past, was reversed")
        }
        return result
    }

    func hostStatus(of order: OrderID) -> Result<OrderStatus, HostError> {
        looks[order] = now
        if isFaulty, let (before, end) = tells[order], now < end { return before }
        return ownRefusal(of: .status, order).map { .failure($0) } ?? host.status(of: order)
    }

    func hostLists(_ query: TransactionQuery) -> Result<TransactionQuery.Page, HostError> {
        if let order = query.orderID { looks[order] = now }
        if let error = ownRefusal(of: .list, query.orderID) { return .failure(error) }
        let result = host.transactions(query)
        guard server == nil, query.orderID == nil, case .success(var page) = result else { return result }
        if page.next != nil { occurs(.shortPages) }
        // A gateway has a record of its own for this.
        if host.hasOddRecord, query.continuation == nil {
            occurs(.oddRecord)
            page.unreadable = [nil]
        }
        return .success(page)
    }

    /// A copy of what was refused is refused too. What was done once is refused by its order id, or
    /// before the host has looked for that.
    private func ownRefusal(of message: HostMessage, _ order: OrderID?) -> HostError? {
        if message == .money, let order, let refused = refusals[order], now < refused.end {
            if refusesOnce.remove(order) != nil { refusals[order] = nil }
            return refused.error
        }
        let isKnown = message == .money && order.map { host.orders[$0] != nil } ?? false
        // A copy that the network made of a request answers for the first one.
        if isKnown, swarm.exists(.doubled) { return nil }
        if message == .status, isFaulty, let order, refusesToTell.contains(order) {
            return HostError(.notSupported, "the host does not tell")
        }
        if message == .status || message == .list, isFaulty, let order, refusesInquiry.remove(order) != nil {
            shop.mayStayUnknown.insert(order)
            return HostError(.invalidRequest, "the host refuses the first inquiry")
        }
        guard strikes(isKnown ? .repetitionRefused : .ownRefusal, .corners, order: order) else { return nil }
        let possible = HostError.Refusal.allCases.filter { refusal in
            switch (message, refusal) {
            // Whoever says this of an order has closed its batch (`batchCloses`).
            case (.reversal, .notAllowed): false
            // Then there is no list (``ModelHost/hasList``).
            case (.list, .notSupported): false
            case (.money, .orderAlreadyProcessed): !isKnown
            default: true
            }
        }
        let refusal = possible[Int(draw(.corners, "refusal", UInt64(possible.count)))]
        let error = HostError(refusal, "the host refuses for a reason of its own")
        note("the host refuses: \(refusal.rawValue)")
        if let order {
            shop.mayStayUnknown.insert(order)
            if message == .money { refusals[order] = (error, now + 60 * Self.second) }
        }
        return error
    }

    /// How far the list lags behind a change of the order, in nanoseconds.
    func lag(of order: OrderID) -> Int64 {
        strikes(.listLags, .corners, order: order) ? Int64(1 + draw(.corners, "lags by", 120)) * Self.second : 0
    }

    // MARK: What has been there before

    /// Has the host keep an order of another terminal, or of another day, under this id.
    ///
    /// - Parameter isNew: It is of another terminal, and comes now.
    func keepForeignOrder(_ wish: Wish, isNew: Bool = false) {
        // With a clock that jumps a time tells nothing.
        let isVague = swarm.exists(.clockJump) || swarm.exists(.clockByYears)
        // Who reads no card shows none, and of a token the terminal knows no number.
        let showsCard = wish.original == nil && !wish.readsCard && !swarm.exists(.secureCard)
        let kinds: UInt64 = isVague ? 1 : showsCard ? 3 : 2
        let variant = draw(.corners, "foreign", kinds)
        let units =
            variant == 0
            ? wish.amount.minorUnits + 1 + Int64(draw(.corners, "foreign amount", 5000)) : wish.amount.minorUnits
        let amount = Money(minorUnits: units, currency: wish.amount.currency)
        let taken = isNew && variant != 1 ? World.start + now / Self.second : World.start - (variant == 1 ? 86_400 : 60)
        let isDeclined = draw(.corners, "foreign declined", 4) == 3
        keep(
            wish.orderID, of: wish.recordKind, amount, isDeclined: isDeclined, taken: taken, at: isNew ? now : .min / 2,
            maskedPAN: "555555******" + (variant == 2 ? "9999" : "4444"))
        shop.mayStayUnknown.insert(wish.orderID)
    }

    /// Has the host keep an order of another terminal under an id that the shop does not use, with
    /// everything else as in the shop's own.
    func keepOrderOfOther(_ name: String, _ wish: Wish) {
        guard let id = try? OrderID(name) else { return }
        keep(
            id, of: wish.recordKind, wish.amount, isDeclined: false, taken: World.start + now / Self.second, at: now,
            maskedPAN: "555555******4444")
    }

    private func keep(
        _ id: OrderID, of kind: TransactionRecord.Kind, _ amount: Money, isDeclined: Bool, taken: Int64, at time: Int64,
        maskedPAN: String
    ) {
        var order = ModelHost.Order(
            state: isDeclined ? .declined : .approved, kind: kind, requested: amount,
            timestamp: Timestamp(secondsSince1970: taken),
            time: time)
        order.maskedPAN = maskedPAN
        order.authorized = isDeclined ? nil : amount
        order.answer = AuthorizationResponse(
            uniqueReference: "F-\(id.text)",
            issuer: .init(responseCode: isDeclined ? "05" : "00", approvalCode: isDeclined ? nil : "654321"),
            authorizedAmount: isDeclined ? Money(minorUnits: 0, currency: amount.currency) : amount, message: "FOREIGN")
        host.foreign[id] = order
        note("the host has another order \(id), of \(amount)")
    }
}

internal import CardCapture
internal import PaymentTerminal

/// A host, as far as a terminal must rely on it: orders, what was decided on each, and whose money
/// it holds.
///
/// - With the extensions it knows every order by its id, and a reversal that comes first keeps its
///   order out.
/// - Without them refunds and captures have no order ids at the host: it can neither be asked after
///   them nor undo them, and it does not know them again when they are repeated. Nothing can be
///   undone that has not come.
final class ModelHost {
    enum State: String {
        case approved, declined, reversed
        /// Reversed before it came.
        case barred
        /// It has come, and is decided on later.
        case pending
        /// The issuer wants a call; declined, as long as no approval code is booked.
        case referred
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
        /// How often the order's money is held; more than once is the fault that everything else is
        /// there to prevent.
        var charges = 0
        /// The card approved it without the host.
        var isOffline = false
        /// In a closed batch: it cannot be reversed any more.
        var isSettled = false
        /// What is to be registered with its card when it is approved.
        var registration: CardVault.Registration?
        /// Of a card that the host shows in its list.
        var maskedPAN: String?

        var booking: Books.Booking {
            switch kind {
            case .sale, .preAuthorization, .accountVerification: .authorized
            case .capture: .captured
            case .refund: .refunded
            }
        }
    }

    enum Decision: UInt64 {
        case approve, decline, approvePart, refer
    }

    /// What a host makes of one request beside its decision.
    struct Whim {
        /// Authorizes more than was asked for, as a host with a fault would.
        var otherAmount = false
        /// What the issuer says to the card.
        var issuerData: [UInt8]?
        /// The value of a script of its (EMV 4.4 Book 3, 10.10); none if it is empty.
        var script: [UInt8] = []
        /// Says that it will decide later.
        var isPending = false
        /// Approves with this code.
        var code: String?
    }

    var hasExtensions = true
    /// Whether the host can be asked for a list of its transactions.
    var hasList = true
    /// For how long it refuses an order id that it has seen, in nanoseconds.
    var memory = Int64.max
    /// What the issuer makes of an order, where that is not an approval.
    var decisions: [OrderID: Decision] = [:]
    var orders: [OrderID: Order] = [:]
    var books = Books()
    var vault = CardVault()
    /// How many accounts it has verified for the terminal, and found good.
    var verifications = 0
    /// How many transactions a page of a gateway's list has at most, where it is fewer than may be
    /// asked for.
    var pageLimit: Int?
    /// A gateway's list has a record of a kind that nobody knows.
    var hasOddRecord = false
    /// Orders of the past, or of other terminals, under ids that the shop uses again.
    var foreign: [OrderID: Order] = [:]
    /// Those of them that were reversed.
    var reversedForeign: Set<OrderID> = []
    /// What the list still shows of an order that has changed, and until when; nil for an order
    /// that is not listed yet.
    var stale: [OrderID: (order: Order?, end: Int64)] = [:]
    /// How far the list lags behind a change of an order, in nanoseconds.
    var lag: (OrderID) -> Int64 = { _ in 0 }
    var now: () -> Int64 = { 0 }
    private var references = 0
    /// When the reversal of an order that had not come was asked for first.
    private var firstReversal: [OrderID: Int64] = [:]

    /// How long an order may be on its way: after that one that has not come does not come any
    /// more.
    static let inDoubtWindow: Int64 = 300_000_000_000

    func holdsMoney(of order: OrderID) -> Bool { orders[order]?.state == .approved }
    func charges(of order: OrderID) -> Int { orders[order]?.charges ?? 0 }
    func isReferenced(_ order: OrderID) -> Bool {
        orders[order].map { $0.kind == .refund || $0.kind == .capture } ?? false
    }

    /// What the host finds by an order id.
    func found(_ id: OrderID) -> Order? {
        guard let own = orders[id] else { return foreign[id] }
        return !hasExtensions && isReferenced(id) && own.timestamp == nil ? nil : own
    }

    private func change(_ id: OrderID, _ order: Order) {
        let lag = lag(id)
        if lag > 0 { stale[id] = (orders[id], now() + lag) }
        orders[id] = order
    }

    /// Has the list show a reversed order as it was before.
    func showOld(_ id: OrderID, for time: Int64) {
        guard var order = orders[id] else { return }
        order.state = .approved
        stale[id] = (order, now() + time)
    }

    // MARK: Money

    func authorize(_ request: AuthorizationRequest, at now: Int64, _ whim: Whim = Whim()) -> Result<
        AuthorizationResponse, HostError
    > {
        if request.processing == .approvedOffline { return record(request, at: now) }
        if case .token(let token) = request.card, found(request.orderID) == nil, !vault.has(token: token) {
            return .failure(HostError(.secureCardUnknown, "the token was deleted"))
        }
        var order = Order(
            state: .declined, kind: TransactionRecord.Kind(request.purpose), requested: request.amount,
            timestamp: request.timestamp,
            time: now)
        order.registration = CardVault.Registration(request)
        return decide(request.orderID, new: order, amount: request.amount, whim)
    }

    func refer(
        _ kind: TransactionRecord.Kind, _ request: ReferencedRequest, at now: Int64, _ whim: Whim = Whim()
    ) -> Result<AuthorizationResponse, HostError> {
        guard let original = orders.values.first(where: { $0.answer?.uniqueReference == request.original }) else {
            return .failure(HostError(.transactionUnknown, "transaction not found"))
        }
        guard original.state == .approved, let authorized = original.authorized,
            request.amount.minorUnits <= authorized.minorUnits
        else {
            return .failure(HostError(.notAllowed, "the transaction is not in a state for this"))
        }
        let timestamp = hasExtensions ? request.timestamp : nil
        let order = Order(state: .declined, kind: kind, requested: request.amount, timestamp: timestamp, time: now)
        return decide(request.orderID, new: order, amount: request.amount, whim)
    }

    private func decide(_ id: OrderID, new: Order, amount: Money, _ whim: Whim) -> Result<
        AuthorizationResponse, HostError
    > {
        if let known = found(id), orders[id] == nil || new.time - known.time < memory {
            return .failure(HostError(.orderAlreadyProcessed, "the order was already processed"))
        }
        references += 1
        var order = new
        order.charges = orders[id].map { $0.state == .approved ? $0.charges : 0 } ?? 0
        if whim.isPending {
            order.state = .pending
            order.answer = nil
            change(id, order)
            return .failure(HostError(.noAnswer, "the order is pending"))
        }
        return .success(settle(id, order, amount, with: whim))
    }

    /// Decides on an order, and books what is approved.
    private func settle(_ id: OrderID, _ new: Order, _ amount: Money, with whim: Whim) -> AuthorizationResponse {
        var order = new
        let decision = decisions[id] ?? .approve
        var authorized = decision == .approvePart ? max(1, amount.minorUnits / 2) : amount.minorUnits
        if whim.otherAmount { authorized = amount.minorUnits * 10 }
        let code =
            switch decision {
            case .approve: whim.code ?? "00"
            case .approvePart: "10"
            case .decline: "05"
            case .refer: "02"
            }
        let isApproved = decision == .approve || decision == .approvePart
        let money = Money(minorUnits: isApproved ? authorized : 0, currency: amount.currency)
        var issuer = IssuerAnswer.Answer(responseCode: code, approvalCode: isApproved ? "123456" : nil)
        issuer.issuerAuthenticationData = whim.issuerData
        if !whim.script.isEmpty { issuer.scripts = [[0x72] + Self.length(whim.script.count) + whim.script] }
        let answer = AuthorizationResponse(
            uniqueReference: "U\(references)", issuer: issuer, authorizedAmount: money,
            secureCardReference: isApproved ? order.registration.flatMap { vault.register($0) } : nil,
            message: isApproved ? "APPROVAL" : decision == .refer ? "CALL ISSUER" : "DECLINED")
        order.state = isApproved ? .approved : decision == .refer ? .referred : .declined
        order.authorized = isApproved ? money : nil
        order.answer = answer
        order.charges += isApproved ? 1 : 0
        change(id, order)
        if isApproved { books.book(order.booking, money.minorUnits, of: id.text) }
        if isApproved, order.kind == .accountVerification { verifications += 1 }
        return answer
    }

    /// Of one byte up to 127, else of two (EMV 4.4 Book 3, annex B2).
    private static func length(_ count: Int) -> [UInt8] { count < 128 ? [UInt8(count)] : [0x81, UInt8(count)] }

    /// Records what the card declined without asking. A known order does not change.
    func recordDecline(_ request: AuthorizationRequest, at now: Int64) {
        guard found(request.orderID) == nil else { return }
        references += 1
        var order = Order(
            state: .declined, kind: TransactionRecord.Kind(request.purpose), requested: request.amount,
            timestamp: request.timestamp,
            time: now)
        order.answer = AuthorizationResponse(
            uniqueReference: "U\(references)", issuer: IssuerAnswer.Answer(responseCode: "Z1"),
            authorizedAmount: Money(minorUnits: 0, currency: request.amount.currency), message: "DECLINED BY THE CARD")
        change(request.orderID, order)
    }

    /// Decides on a pending order, unless it was reversed meanwhile.
    func decideLater(_ id: OrderID) {
        guard let order = orders[id], order.state == .pending, let amount = order.requested else { return }
        references += 1
        _ = settle(id, order, amount, with: Whim())
    }

    /// Books an order that the issuer referred.
    func approveReferral(_ id: OrderID, approvalCode: String) -> Result<AuthorizationResponse, HostError> {
        guard var order = orders[id], let amount = order.requested, let referral = order.answer else {
            return .failure(HostError(.transactionUnknown, "the host has no such order"))
        }
        if order.state == .approved { return .success(referral) }
        guard order.state == .referred else { return .failure(HostError(.notAllowed, "the order was not referred")) }
        let answer = AuthorizationResponse(
            uniqueReference: referral.uniqueReference,
            issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: approvalCode), authorizedAmount: amount,
            message: "APPROVAL")
        order.state = .approved
        order.authorized = amount
        order.answer = answer
        order.charges += 1
        change(id, order)
        books.book(order.booking, amount.minorUnits, of: id.text)
        return .success(answer)
    }

    /// Books what the card approved without the host.
    private func record(_ request: AuthorizationRequest, at now: Int64) -> Result<AuthorizationResponse, HostError> {
        guard foreign[request.orderID] == nil, orders[request.orderID] == nil else {
            return .failure(HostError(.orderAlreadyProcessed, "the order was already processed"))
        }
        references += 1
        var order = Order(
            state: .approved, kind: TransactionRecord.Kind(request.purpose), requested: request.amount,
            authorized: request.amount,
            timestamp: request.timestamp, time: now, charges: 1)
        order.isOffline = true
        // What stands for an answer where the issuer was never asked (EMV 4.4 Book 4, annex A6).
        let answer = AuthorizationResponse(
            uniqueReference: "U\(references)", issuer: IssuerAnswer.Answer(responseCode: "Y1"),
            authorizedAmount: request.amount,
            message: "RECORDED", isAuthorized: true)
        order.answer = answer
        change(request.orderID, order)
        books.book(order.booking, request.amount.minorUnits, of: request.orderID.text)
        return .success(answer)
    }

    func reverse(_ id: OrderID, at now: Int64) -> Result<Void, HostError> {
        guard var order = found(id) else {
            guard hasExtensions else { return reverseUnknown(id, at: now) }
            change(id, Order(state: .barred, kind: .sale, time: now))
            return .success(())
        }
        guard !order.isSettled else { return .failure(HostError(.notAllowed, "the batch is closed")) }
        guard [.approved, .pending, .referred].contains(order.state) else { return .success(()) }
        order.state = .reversed
        order.charges = 0
        guard orders[id] != nil else {
            foreign[id] = order
            reversedForeign.insert(id)
            return .success(())
        }
        change(id, order)
        books.reverse(id.text)
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

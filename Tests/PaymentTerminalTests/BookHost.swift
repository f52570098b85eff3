import CardCapture
import EMVKernel
import PaymentTerminal
import Synchronization

/// A host that keeps books, and whose answers are as odd as a real one's can be.
///
/// The books count what each order holds in minor units, from the host's own messages. They are
/// what a caller's answer is compared with.
final class BookHost: PaymentHost {
    /// What happens to a request that moves money.
    enum Answer: CaseIterable {
        case approved, part, declined, referred, refused
        /// Nothing leaves the terminal.
        case unreachable
        /// It does not arrive, and the terminal does not know.
        case lostBefore
        /// It is carried out, and its answer is lost.
        case approvalLost, partLost, declineLost
        /// As ``approvalLost``, with an answer of the host that says nothing.
        case approvedInError, approvedNotGenuine
        /// The host decides later: it approves, or declines.
        case pendingApproval, pendingDecline
        /// The host approves with a code that the terminal does not know.
        case approvedWithOddCode
        /// The host has an order with this id: for another amount, or of yesterday.
        case otherOrder, oldOrder
        /// The same, and the answer is lost.
        case otherOrderLost, oldOrderLost
        /// The network doubles the request, and the second answer arrives.
        case doubled
    }

    /// What happens to the first reversal.
    enum Reversal: CaseIterable {
        case performed, lostBefore, answerLost, unreachable, refused
    }

    struct Order {
        enum State { case approved, declined, referred, pending, reversed, barred }
        var state: State
        var record: TransactionRecord
        var held: Int64 = 0
        var isForeign = false
        var answer: AuthorizationResponse
    }

    private struct Books {
        var answer: Answer
        /// What happens to the approval code of a call; the issuer refers each order then. Nil for
        /// no referral.
        var referral: Answer?
        var reversal: Reversal
        /// Whether inquiries are answered.
        var isHealed = false
        var orders: [OrderID: Order] = [:]
    }

    private let books: Mutex<Books>

    init(_ answer: Answer, referral: Answer? = nil, reversal: Reversal) {
        books = Mutex(Books(answer: referral == nil ? answer : .referred, referral: referral, reversal: reversal))
    }

    /// What the host holds for the order; nil if it does not know it.
    func held(_ order: OrderID) -> Int64? {
        books.withLock { books in books.orders[order].flatMap { $0.isForeign ? 0 : $0.held } }
    }
    /// Whether an order that is not the terminal's was reversed.
    var hasReversedOther: Bool { books.withLock { $0.orders.values.contains { $0.isForeign && $0.held == 0 } } }

    /// Everything arrives from now on, and the host decides on what is pending after the next
    /// question.
    func heal() {
        books.withLock { books in
            books.isHealed = true
            if books.reversal != .refused { books.reversal = .performed }
            if [.unreachable, .lostBefore].contains(books.answer) { books.answer = .approved }
            if let referral = books.referral, [.unreachable, .lostBefore].contains(referral) {
                books.referral = .approved
            }
        }
    }

    private static func decide(_ order: inout Order?, _ approves: Bool) {
        guard let pending = order, let amount = pending.record.amount else { return }
        order?.state = approves ? .approved : .declined
        order?.held = approves ? amount.minorUnits : 0
        order?.record.state = approves ? .approved : .declined
        order?.answer = response(approves ? "00" : "05", amount, approves)
    }

    private static func response(_ code: String, _ amount: Money, _ isAuthorized: Bool) -> AuthorizationResponse {
        AuthorizationResponse(
            uniqueReference: "U1",
            issuer: IssuerAnswer.Answer(responseCode: code, approvalCode: isAuthorized ? "123456" : nil),
            authorizedAmount: amount, message: isAuthorized ? "APPROVAL" : "DECLINED", isAuthorized: isAuthorized)
    }

    private static let lost = HostError(.noAnswer, "the answer was lost")
    private static let away = HostError(.unreachable, "no network")
    private static let known = HostError(.orderAlreadyProcessed, "Order Already Processed")

    func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        try perform(request.orderID, TransactionRecord(request), request.amount)
    }
    func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        try perform(request.orderID, TransactionRecord(request, .refund), request.amount)
    }
    func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        try perform(request.orderID, TransactionRecord(request, .capture), request.amount)
    }

    private func perform(_ id: OrderID, _ record: TransactionRecord, _ amount: Money) throws(HostError)
        -> AuthorizationResponse
    {
        let result = books.withLock { books -> Result<AuthorizationResponse, HostError> in
            if books.orders[id] != nil { return .failure(Self.known) }
            let half = Money(minorUnits: max(1, amount.minorUnits / 2), currency: amount.currency)
            func book(_ code: String, _ authorized: Money, _ state: Order.State) -> AuthorizationResponse {
                let holds = state == .approved
                var record = record
                record.state = holds ? .approved : state == .pending ? .pending : .declined
                record.authorizedAmount = holds ? authorized : nil
                let answer = Self.response(code, authorized, holds)
                books.orders[id] = Order(
                    state: state, record: record, held: holds ? authorized.minorUnits : 0, answer: answer)
                return answer
            }
            func foreign(_ other: Money, age: Int64) {
                var old = record
                old.amount = other
                old.authorizedAmount = other
                old.timestamp = Timestamp(secondsSince1970: (record.timestamp?.secondsSince1970 ?? 0) - age)
                books.orders[id] = Order(
                    state: .approved, record: old, held: other.minorUnits, isForeign: true,
                    answer: Self.response("00", other, true))
            }
            switch books.answer {
            case .approved: return .success(book("00", amount, .approved))
            case .part: return .success(book("10", half, .approved))
            case .declined: return .success(book("05", amount, .declined))
            case .referred: return .success(book("02", amount, .referred))
            case .refused: return .failure(HostError(.cardRefused, "the host does not take this card"))
            case .unreachable: return .failure(Self.away)
            case .lostBefore: return .failure(Self.lost)
            case .approvalLost: _ = book("00", amount, .approved)
            case .partLost: _ = book("10", half, .approved)
            case .declineLost: _ = book("05", amount, .declined)
            case .approvedInError:
                _ = book("00", amount, .approved)
                return .failure(HostError(.internalError, "the disk is full"))
            case .approvedNotGenuine:
                _ = book("00", amount, .approved)
                return .failure(HostError(.answerNotGenuine, "the hash is wrong"))
            case .pendingApproval, .pendingDecline: _ = book("05", amount, .pending)
            case .approvedWithOddCode: return .success(book("85", amount, .approved))
            case .otherOrder:
                foreign(Money(minorUnits: amount.minorUnits + 1, currency: amount.currency), age: 0)
                return .failure(Self.known)
            case .oldOrder:
                foreign(amount, age: 86_400)
                return .failure(Self.known)
            case .otherOrderLost: foreign(Money(minorUnits: amount.minorUnits + 1, currency: amount.currency), age: 0)
            case .oldOrderLost: foreign(amount, age: 86_400)
            case .doubled:
                _ = book("00", amount, .approved)
                return .failure(Self.known)
            }
            return .failure(Self.lost)
        }
        return try result.get()
    }

    func approveReferral(of orderID: OrderID, approvalCode: String) async throws(HostError) -> AuthorizationResponse {
        let result = books.withLock { books -> Result<AuthorizationResponse, HostError> in
            guard let order = books.orders[orderID], order.state == .referred, let amount = order.record.amount else {
                return .failure(HostError(.notAllowed, "the order was not referred"))
            }
            let answer = books.referral ?? .approved
            guard answer != .unreachable else { return .failure(Self.away) }
            guard answer != .refused else {
                return .failure(HostError(.notAllowed, "the issuer did not give this code"))
            }
            guard answer != .lostBefore else { return .failure(Self.lost) }
            let approves = ![.declined, .declineLost].contains(answer)
            Self.decide(&books.orders[orderID], approves)
            guard [.referred, .approved, .declined].contains(answer) else { return .failure(Self.lost) }
            return .success(Self.response(approves ? "00" : "05", amount, approves))
        }
        return try result.get()
    }

    func advise(_ advice: Advice) async throws(HostError) {
        guard case .reversed = advice.result else { return }
        let error = books.withLock { books -> HostError? in
            let id = advice.orderID
            func reverse() {
                guard let order = books.orders[id] else {
                    let record = TransactionRecord(orderID: id, uniqueReference: "N", kind: .sale, state: .reversed)
                    books.orders[id] = Order(
                        state: .barred, record: record,
                        answer: Self.response("05", Money(minorUnits: 0, currency: .euro), false))
                    return
                }
                guard order.state != .declined else { return }
                books.orders[id]?.state = .reversed
                books.orders[id]?.record.state = .reversed
                books.orders[id]?.held = 0
            }
            switch books.reversal {
            case .performed: reverse()
            case .lostBefore:
                return Self.lost
            case .answerLost:
                reverse()
                return Self.lost
            case .unreachable: return Self.away
            case .refused: return HostError(.notAllowed, "the transaction was settled")
            }
            return nil
        }
        if let error { throw error }
    }

    func status(of orderID: OrderID) async throws(HostError) -> OrderStatus {
        let result = books.withLock { books -> Result<OrderStatus, HostError> in
            guard books.isHealed || books.answer != .unreachable else { return .failure(Self.away) }
            guard let order = books.orders[orderID] else { return .success(.notSeen) }
            switch order.state {
            case .pending:
                // Decided by the next question.
                if books.isHealed { Self.decide(&books.orders[orderID], books.answer == .pendingApproval) }
                return .success(.pending)
            case .reversed, .barred: return .success(.reversed)
            case .approved, .declined, .referred: return .success(.decided(order.answer))
            }
        }
        return try result.get()
    }

    func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page {
        let records = books.withLock { books in books.orders.values.filter { $0.state != .barred }.map(\.record) }
        return TransactionQuery.Page(records.filter { query.orderID == nil || $0.orderID == query.orderID })
    }

    func settings() async throws(HostError) -> HostSettings { throw Self.none }
    func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        throw Self.none
    }
    func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard { throw Self.none }
    func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        throw Self.none
    }
    func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
        throw Self.none
    }

    private static let none = HostError(.notSupported, "this host has no such message")
}

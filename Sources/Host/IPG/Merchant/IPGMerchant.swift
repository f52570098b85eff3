public import FormDocument

/// The merchant's side of hosted payments: it writes an order before the customer leaves for the
/// gateway's page, and takes the notifications.
///
/// It never takes a notification that the journal has not. So a shop hands the answer of
/// ``handle(_:)`` back to the gateway as it is, and acts on its change.
public struct IPGMerchant<Journal: IPGJournal>: Sendable {
    public let account: IPGAccount
    public let journal: Journal

    public init(account: IPGAccount, journal: Journal) {
        self.account = account
        self.journal = journal
    }

    private var rule: NotificationRule { NotificationRule(account.generation) }

    /// Writes the order, and then makes the form that the browser posts to the gateway.
    public func begin(_ payment: HostedPayment) async throws(IPGMerchantError) -> FormFields {
        let form: FormFields
        do throws(IPGRequestError) { form = try account.request(payment) } catch { throw .request(error) }
        do throws(IPGJournalError) { try await journal.insert(IPGOrder(payment)) } catch { throw .journal(error) }
        return form
    }

    /// Takes the body of a post to the address for notifications, as it was received.
    public func handle(_ body: [UInt8]) async -> HandledNotification {
        let notice: IPGNotice
        do throws(IPGMessageError) { notice = try IPGNotice(parsing: body, for: account) } catch {
            return HandledNotification(refusal: .unreadable(error))
        }
        switch notice {
        case .hint(let id):
            return await change(id) { order in
                order.doubt()
                return nil
            }
        case .notification(let news):
            return await change(news.orderID) { $0.receive(news, rule) }
        }
    }

    /// Takes the gateway's answer to a question about an order. An answer about another order
    /// changes nothing.
    public func settle(_ id: IPGOrderID, _ answer: IPGAnswer) async -> HandledNotification {
        await change(id) { $0.settle(answer, rule) ? nil : .contradiction }
    }

    /// Takes the gateway's answer to the reversal of one of ``IPGOrder/dueReversals``.
    public func settle(_ id: IPGOrderID, reversal reference: TransactionReference, _ answer: IPGAnswer) async
        -> HandledNotification
    {
        await change(id) { order in
            order.settle(reversal: reference, answer)
            return nil
        }
    }

    /// Waits no longer for an order. One that has a result keeps it.
    public func abandon(_ id: IPGOrderID) async -> HandledNotification {
        await change(id) { order in
            order.abandon()
            return nil
        }
    }

    /// Changes an order in the journal. If another call has changed it meanwhile, it is read again.
    private func change(_ id: IPGOrderID, _ change: (inout IPGOrder) -> NotificationRefusal?) async
        -> HandledNotification
    {
        do throws(IPGJournalError) {
            for _ in 0..<HandledNotification.maximumAttempts {
                guard let old = try await journal.order(id) else { return HandledNotification(refusal: .unknownOrder) }
                var new = old
                if let refusal = change(&new) { return HandledNotification(refusal: refusal) }
                guard new != old else { return HandledNotification(order: old, before: old) }
                if try await journal.replace(old, by: new) { return HandledNotification(order: new, before: old) }
            }
            return HandledNotification(refusal: .journal(.failed))
        } catch {
            return HandledNotification(refusal: .journal(error))
        }
    }
}

/// What a shop does with a notification.
public struct HandledNotification: Sendable, Equatable {
    /// How often an order is read again that others change at the same time.
    static let maximumAttempts = 8

    /// Nil if the notification is taken.
    public let refusal: NotificationRefusal?
    /// The order as the journal has it now; nil if it is not taken.
    public let order: IPGOrder?
    /// The order before; equal if the notification was known.
    public let before: IPGOrder?

    init(refusal: NotificationRefusal) {
        self.refusal = refusal
        order = nil
        before = nil
    }

    init(order: IPGOrder, before: IPGOrder) {
        refusal = nil
        self.order = order
        self.before = before
    }

    /// The state that the order has reached by this; nil if it had it before. Goods are handed out
    /// on ``IPGOrder/State/succeeded(_:)``, once.
    public var news: IPGOrder.State? { order?.state == before?.state ? nil : order?.state }

    /// The HTTP status of the answer: 200 only for what is taken.
    public var status: Int {
        switch refusal {
        case nil: 200
        case .unreadable: 400
        case .journal: 503
        case .unknownOrder, .otherAmount, .closed, .contradiction: 409
        }
    }

    /// The body of the answer, in `text/plain`: exactly `OK` only for what is taken.
    public var body: [UInt8] { Array((refusal == nil ? "OK" : "REFUSED").utf8) }
}

/// Why an order does not begin.
public enum IPGMerchantError: Error, Sendable, Equatable {
    case request(IPGRequestError)
    case journal(IPGJournalError)
}

extension IPGMerchantError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .request(let error): "\(error)"
        case .journal(let error): "\(error)"
        }
    }
}

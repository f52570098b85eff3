public import PaymentTerminal

/// An order of a shop as its journal has it: what was asked for, and how it ended. A value;
/// ``receive(_:_:)`` and ``settle(_:_:)`` are all that changes it.
public struct IPGOrder: Sendable, Equatable, Codable {
    public enum State: Sendable, Equatable, Codable {
        /// The customer is on the gateway's page, or was.
        case asked
        case succeeded(IPGPayment)
        /// Nothing is charged. The state is the gateway's reason, if it gave one.
        case declined(OperationStatus?)
        /// The gateway has undone it, or has never done it.
        case rolledBack
        /// The shop waits no longer. What succeeds now is undone.
        case abandoned
    }

    public let id: IPGOrderID
    /// What was asked for: nothing else is taken for this order.
    public let amount: Money
    public let method: IPGMethod
    public private(set) var state: State = .asked
    /// Whether the gateway must be asked for the order's status, because its messages alone do not
    /// tell how it ended.
    public private(set) var isInDoubt = false
    /// Charges that must not stay: the gateway is to be asked for their reversal. Only API 4.5
    /// leaves them to the merchant.
    public private(set) var dueReversals: [TransactionReference] = []

    public init(_ payment: HostedPayment) {
        id = payment.orderID
        amount = payment.amount
        method = payment.method
    }

    /// Whether something is still to be done about the order: it is open, in doubt, or owes a
    /// reversal.
    public var isUnsettled: Bool { state == .asked || isInDoubt || !dueReversals.isEmpty }
}

/// A transaction that has succeeded.
public struct IPGPayment: Sendable, Equatable, Codable {
    /// Nil for a stored card of API 4.5 without a charge.
    public let reference: TransactionReference?
    public let approval: String?
    public let card: NotifiedCard
}

/// Why a notification is not taken.
public enum NotificationRefusal: Sendable, Equatable {
    case unreadable(IPGMessageError)
    /// The journal has no such order: it was not asked for here.
    case unknownOrder
    /// The amount or the currency is not what was asked for.
    case otherAmount
    /// The order was declined, rolled back or abandoned before.
    case closed
    /// The journal has another transaction for the order, or another result of this one.
    case contradiction
    case journal(IPGJournalError)
}

extension IPGOrder {
    /// Takes what the gateway tells. The order may answer for it only when it is written: the
    /// answer to a notification says that the journal has it.
    ///
    /// - Returns: nil if the notification is taken; it may have changed nothing.
    public mutating func receive(_ news: IPGNotification, _ rule: NotificationRule) -> NotificationRefusal? {
        guard news.orderID == id else { return .unknownOrder }
        switch news.outcome {
        case .succeeded: return succeed(news, rule)
        case .declined:
            guard news.amount == amount else { return .otherAmount }
            decline(news, rule)
        case .rolledBack:
            guard news.amount == amount else { return .otherAmount }
            if state != .abandoned { state = .rolledBack }
            isInDoubt = false
        }
        return nil
    }

    private mutating func succeed(_ news: IPGNotification, _ rule: NotificationRule) -> NotificationRefusal? {
        let payment = IPGPayment(reference: news.reference, approval: news.approval, card: news.card)
        if case .succeeded(let known) = state, known.reference == payment.reference {
            return known == payment && news.amount == amount ? nil : .contradiction
        }
        if let reference = news.reference, dueReversals.contains(reference) { return nil }
        guard news.amount == amount else { return undo(news, rule, .otherAmount) }
        switch state {
        case .asked:
            state = .succeeded(payment)
            return nil
        case .succeeded: return undo(news, rule, .contradiction)
        case .declined, .rolledBack, .abandoned: return undo(news, rule, .closed)
        }
    }

    /// A charge that the order cannot have: the gateway reverses what is refused, or the merchant
    /// has to.
    private mutating func undo(_ news: IPGNotification, _ rule: NotificationRule, _ refusal: NotificationRefusal)
        -> NotificationRefusal?
    {
        guard rule == .retried, let reference = news.reference else { return refusal }
        dueReversals.append(reference)
        return nil
    }

    private mutating func decline(_ news: IPGNotification, _ rule: NotificationRule) {
        switch state {
        case .asked: state = .declined(news.status)
        case .succeeded(let payment):
            // In 4.5 another attempt at the same order. Before, it may be what follows from an
            // answer that got lost.
            if rule == .okOrReversal || news.reference == payment.reference { isInDoubt = true }
        case .declined, .rolledBack, .abandoned: break
        }
    }

    /// Notes that the gateway must be asked.
    mutating func doubt() { isInDoubt = true }

    /// The shop waits no longer for an order that is open. It is in doubt until the gateway says
    /// that nothing is charged: the customer may still have its page, and its notification may have
    /// been lost.
    public mutating func abandon() {
        guard state == .asked else { return }
        state = .abandoned
        isInDoubt = true
    }
}

extension IPGOrder {
    /// Takes the answer to ``IPGAccount/status(of:format:)``.
    ///
    /// - Returns: Whether the answer is about this order. One about another changes nothing.
    public mutating func settle(_ answer: IPGAnswer, _ rule: NotificationRule) -> Bool {
        guard answer.method == .status, let found = answer.state, answer.orderID == nil || answer.orderID == id,
            answer.amount == nil || answer.amount == amount
        else { return false }
        switch (found, state) {
        case (.pending, _), (.unclear, _), (.failed(.notFound), _): break
        case (.completed, .succeeded(let payment)):
            isInDoubt = answer.reference != nil && answer.reference != payment.reference
        case (.completed, .asked):
            // Before 4.5 the gateway still reverses what no notification was answered for.
            guard rule == .retried, let reference = answer.reference else { break }
            state = .succeeded(IPGPayment(reference: reference, approval: answer.approval, card: NotifiedCard()))
            isInDoubt = false
        case (.completed, _):
            guard rule == .retried, let reference = answer.reference else { break }
            if !dueReversals.contains(reference) { dueReversals.append(reference) }
            isInDoubt = false
        case (.failed(.reversed), .succeeded), (.failed(.reversed), .asked):
            state = .rolledBack
            isInDoubt = false
        case (.failed(let status), .asked):
            state = .declined(status)
            isInDoubt = false
        case (.failed, .succeeded): isInDoubt = true
        case (.failed, _): isInDoubt = false
        }
        return true
    }

    /// Takes the answer to the reversal of a charge of ``dueReversals``.
    public mutating func settle(reversal reference: TransactionReference, _ answer: IPGAnswer) {
        guard answer.method == .reversal, answer.originalReference == nil || answer.originalReference == reference,
            answer.isGood || OperationStatus(answer.code) == .reversed
        else { return }
        dueReversals.removeAll { $0 == reference }
    }
}

internal import Bytes
internal import FormDocument
internal import IPG
internal import JSONDocument
internal import PaymentTerminal

extension BenchIPG {
    /// The end of an order, to be told.
    struct News {
        let card: CardDetails?
        let token: String?
        let customName: String
        let code: IPGResultCode
        let time: CivilTime?
    }

    /// The merchant's answer to a delivery.
    ///
    /// - Parameters:
    ///   - status: nil if no answer came in time.
    ///   - body: As it was received.
    public mutating func answered(_ delivery: Int, status: Int?, body: [UInt8], now: Int64) -> [Effect] {
        guard let place = pending.firstIndex(where: { $0.delivery == delivery }) else { return [] }
        var notification = pending.remove(at: place)
        let rule = NotificationRule(merchants[notification.merchant]?.generation ?? .urlEncoded)
        let key = Key(merchant: notification.merchant, order: notification.orderID)
        guard !rule.isTaken(status: status, body: body) else {
            settle(key, .completed)
            return []
        }
        let delays = rule.retryDelays
        if notification.attempts <= delays.count, let delay = delays.dropFirst(notification.attempts - 1).first {
            notification.delivery = nil
            notification.dueAt = now.saturatingAdding(Int64(delay))
            pending.append(notification)
            return [.wake(at: now.saturatingAdding(Int64(delay)))]
        }
        guard rule == .okOrReversal, notification.isDecisive, let order = orders[key] else { return [] }
        settle(key, .reversed)
        return rollback(key, order)
    }

    /// Sends what is due again.
    public mutating func wake(now: Int64) -> [Effect] {
        var effects: [Effect] = []
        for place in pending.indices {
            guard let due = pending[place].dueAt, due <= now else { continue }
            effects.append(post(at: place))
        }
        return effects
    }

    /// A charge that waits for its notification's answer gets its final state; others keep theirs.
    private mutating func settle(_ key: Key, _ state: Charge.State) {
        guard var charge = charge(key), charge.state == .notifying else { return }
        charge.state = state
        set(charge, key)
    }

    private mutating func post(at place: Int) -> Effect {
        let id = nextDeliveryID()
        pending[place].delivery = id
        pending[place].dueAt = nil
        pending[place].attempts += 1
        let notification = pending[place]
        return .post(
            Delivery(id: id, url: notification.url, contentType: notification.contentType, body: notification.body))
    }

    private mutating func send(_ key: Key, _ order: Order, _ body: [UInt8], as contentType: String, isDecisive: Bool)
        -> [Effect]
    {
        pending.append(
            Pending(
                orderID: key.order, merchant: key.merchant, contentType: contentType, body: body,
                url: order.notifyURL, isDecisive: isDecisive))
        return [post(at: pending.count - 1)]
    }

    mutating func notify(_ key: Key, _ order: Order, _ news: News) -> [Effect] {
        guard let merchant = merchants[key.merchant] else { return [] }
        guard merchant.generation != .sorted else {
            guard let body = merchant.signed(callback(key, order, news), index: order.keyIndex)?.document else {
                return []
            }
            return send(key, order, body, as: "application/json", isDecisive: false)
        }
        guard news.code == .good, let card = news.card else { return rollback(key, order) }
        var form = begin(order.method.rawValue + IPGEvent.notify.rawValue, key, order)
        if let token = news.token {
            form.set("Token", token)
            form.set("Cardholder Name", card.cardholderName ?? "")
        }
        form.set("CardType", card.messageName)
        if news.token != nil { form.set("Custom Name", news.customName) }
        form.set("Pan", card.lastDigits)
        if news.token == nil { form.set("ExpdtYYMM", card.expiry.yymm) }
        form.set("Approval", String(order.reference?.text.suffix(6) ?? ""))
        form.set("IPG_Trnref", order.reference?.text ?? "")
        form.set("RequestSTAN", String(order.reference?.text.suffix(6) ?? ""))
        form.set("RequestDateTime", news.time?.spaced ?? "")
        guard let signed = merchant.signed(form, index: order.keyIndex) else { return [] }
        return send(key, order, signed.body, as: Self.formType, isDecisive: true)
    }

    /// Says that nothing is charged.
    private mutating func rollback(_ key: Key, _ order: Order) -> [Effect] {
        let form = begin(IPGMethod.purchase.rawValue + IPGEvent.rollback.rawValue, key, order)
        guard let signed = merchants[key.merchant]?.signed(form, index: order.keyIndex) else { return [] }
        return send(key, order, signed.body, as: Self.formType, isDecisive: false)
    }

    private static let formType = "application/x-www-form-urlencoded"

    private func begin(_ method: String, _ key: Key, _ order: Order) -> FormFields {
        var form = FormFields()
        form.set("IPGmethod", method)
        form.set("MID", key.merchant.text)
        form.set("OrderID", key.order.text)
        form.set("Amount", order.amount.decimal)
        form.set("Currency", order.amount.currency.numericText)
        form.set("CustomerIP", order.customerIP)
        return form
    }

    private func callback(_ key: Key, _ order: Order, _ news: News) -> [JSON.Member] {
        let isGood = news.code == .good
        let sum = JSON.object([
            "Amount": .text(order.amount.decimal), "Currency": .text(order.amount.currency.numericText),
        ])
        let payment = JSON.object([
            "OrderId": .text(key.order.text), "MID": .text(key.merchant.text),
            "Context": .text(order.method == .storeCard ? "StoreCardPay" : "CardPay"),
            "Status": .text(isGood ? "success" : "declined"), "Interface": .text("redirect"), "Sum": sum,
        ])
        let card: JSON? = news.card.map { card in
            .object([
                "Pan": .text(CardSummary(card).maskedPAN.prefix(6) + "***" + card.lastDigits),
                "Brand": .text(card.messageName), "CardholderName": card.cardholderName.map { .text($0) },
                "ExpMonth": .text(String(card.expiry.mmyy.prefix(2))),
                "ExpYear": .text("20" + card.expiry.yymm.prefix(2)),
            ])
        }
        let operation = JSON.object([
            "Type": .text(order.method == .storeCard ? "store_card" : "authorization"),
            "Status": .text(isGood ? "success" : "declined"), "Code": .number(news.code.rawValue), "Sum": sum,
            "Provider": order.reference.map {
                .object(["Trn": .text($0.text), "Approval": .text(String($0.text.suffix(6)))])
            },
            "StoreCard": news.token.map { .object(["CardToken": .text($0)]) },
        ])
        return [JSON.Member("Payment", payment)] + (card.map { [JSON.Member("CardData", $0)] } ?? [])
            + [JSON.Member("Operation", operation), JSON.Member("Errors", .list([]))]
    }
}

extension CardDetails {
    fileprivate var lastDigits: String { String(CardSummary(self).maskedPAN.suffix(4)) }

    /// The brand as the gateway's messages name it.
    fileprivate var messageName: String {
        switch CardSummary(self).brand {
        case .mastercard: "MasterCard"
        case .visa: "Visa"
        case let other: other?.rawValue ?? "Unknown"
        }
    }
}

extension CivilTime {
    /// `2021-07-16 14:10:55`.
    fileprivate var spaced: String {
        let digits = digits
        let cuts = [(0, 4, "-"), (4, 2, "-"), (6, 2, " "), (8, 2, ":"), (10, 2, ":"), (12, 2, "")]
        return cuts.map { digits.dropFirst($0).prefix($1) + $2 }.joined()
    }
}

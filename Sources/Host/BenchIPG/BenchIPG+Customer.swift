internal import Bytes
internal import CardCryptography
public import IPG
public import PaymentTerminal

extension BenchIPG {
    /// What the customer does on the page of an order.
    public enum Entry: Sendable {
        case card(CardDetails, customName: String = "")
        /// The stored card that the merchant has named.
        case storedCard
        case cancel
    }

    /// What the page of an order shows: what the merchant has asked for; nil for an order that is
    /// not open.
    public func page(_ merchant: MerchantID, _ order: IPGOrderID) -> (method: IPGMethod, amount: Money)? {
        guard let found = orders[Key(merchant: merchant, order: order)], found.stage == .open else { return nil }
        return (found.method, found.amount)
    }

    /// Takes what the customer has entered. An order that is not open any more takes nothing, so
    /// that a page that is posted twice charges once.
    public mutating func enter(_ entry: Entry, at merchant: MerchantID, order orderID: IPGOrderID, now: Int64)
        -> [Effect]
    {
        let key = Key(merchant: merchant, order: orderID)
        guard var order = orders[key], order.stage == .open else { return [] }
        let card: CardDetails? =
            switch entry {
            case .card(let card, _): order.token == nil ? card : nil
            case .storedCard: order.token.flatMap { cards[$0] }
            case .cancel: nil
            }
        guard let card, let reference = nextReference(now: now) else {
            return fail(key, order, .cancelled)
        }
        let code = Self.decision(order.amount, card)
        guard code == .good else { return fail(key, order, code) }
        var token: String?
        if order.method == .storeCard {
            let made = self.token(card, key)
            cards[made] = card
            token = made
        }
        order.reference = reference
        order.stage = order.amount.minorUnits > 0 ? .charged : .stored
        orders[key] = order
        if order.stage == .charged {
            let isFinal = merchants[merchant]?.generation == .sorted
            set(
                Charge(
                    orderID: orderID, reference: reference, amount: order.amount,
                    state: isFinal ? .completed : .notifying),
                key)
        }
        var customName = ""
        if case .card(_, let name) = entry { customName = name }
        return notify(
            key, order, News(card: card, token: token, customName: customName, code: .good, time: CivilTime(now)))
    }

    private mutating func fail(_ key: Key, _ order: Order, _ code: IPGResultCode) -> [Effect] {
        var order = order
        order.stage = .failed(code)
        orders[key] = order
        return notify(key, order, News(card: nil, token: nil, customName: "", code: code, time: nil))
    }

    private static func decision(_ amount: Money, _ card: CardDetails) -> IPGResultCode {
        let byCard = [("4000000000001018", 3001), ("4000000000001034", 3998)]
        for (number, code) in byCard where card.pan == SecretBytes(number.utf8) { return IPGResultCode(rawValue: code) }
        let digits = amount.minorUnits % 100
        return [5, 51, 54, 59, 91].contains(digits) ? IPGResultCode(rawValue: 1000 + Int(digits)) : .good
    }

    /// 64 hexadecimal digits, another one each time a card is stored.
    private func token(_ card: CardDetails, _ key: Key) -> String {
        let pan = card.pan.revealed()
        let text = Array("\(key.merchant.text)/\(key.order.text)/".utf8) + pan
        return HMACSHA256.authenticate(text, key: tokenKey).hex
    }
}

extension IPGResultCode {
    static let cancelled = IPGResultCode(rawValue: 4002)
}

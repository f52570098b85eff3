public import CardCapture
public import PaymentTerminal

/// A basket that was paid in cash: no card, no terminal, no host.
public struct CashPayment: Sendable, Equatable {
    /// Unique among the till's payments, also those by card.
    public let orderID: OrderID
    /// Who paid, as the receipt names them: one line of 1 to ``Basket/maximumNote`` characters
    /// without a card number; nil for nobody in particular.
    public let holder: String?
    public let basket: Basket
    public let totals: BasketTotals
    public let timestamp: Timestamp

    /// - Throws: What ``Basket/totals()`` throws; ``BasketError/invalidNote`` for the holder.
    public init(orderID: OrderID, holder: String? = nil, basket: Basket, timestamp: Timestamp) throws(BasketError) {
        if let holder { try Basket.check(holder) }
        self.orderID = orderID
        self.holder = holder
        self.basket = basket
        totals = try basket.totals()
        self.timestamp = timestamp
    }

    /// For a receipt or a slip.
    ///
    /// - Parameter merchantName: Above all else.
    public func lines(merchantName: String) throws(BasketError) -> [Receipt.Line] {
        var lines: [Receipt.Line] = [
            .merchant(merchantName), .heading("CASH"), .gap, .row("Date", timestamp.description),
            .row("Order", orderID.text),
        ]
        if let holder { lines.append(.row("Paid by", holder)) }
        return lines + [.gap] + (try basket.lines())
    }
}

/// Where payments in cash are recorded.
public protocol CashRecorder: Sendable {
    /// Records the payment; it is kept when the call returns. The same one again changes nothing.
    ///
    /// - Throws: ``CashError/orderExists`` for another payment of the order.
    func record(_ payment: CashPayment) async throws
    /// Nil if none is recorded.
    func payment(for orderID: OrderID) async throws -> CashPayment?
    /// In the order in which they were recorded, at most `limit` behind the first `offset`.
    func payments(from offset: Int, limit: Int) async throws -> [CashPayment]
}

/// Why a payment in cash is not recorded.
public enum CashError: Error, Sendable, Equatable {
    case orderExists
}

extension CashError: CustomStringConvertible {
    public var description: String {
        "the order has another payment in cash already: give each payment an order id of its own"
    }
}

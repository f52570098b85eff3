public import PaymentTerminal

extension Basket {
    /// The sale that charges ``totals()``, with tip, service charge and taxes of the basket.
    ///
    /// - Parameter terms: Its tip, service charge and taxes are replaced by the basket's.
    public func sale(
        orderID: OrderID, idempotencyKey: IdempotencyKey? = nil, terms: PaymentTerms = PaymentTerms()
    ) throws(BasketError) -> Sale {
        let totals = try totals()
        var terms = terms
        terms.tip = totals.tip
        terms.serviceCharge = totals.serviceCharge
        terms.taxes = totals.rates.map { TaxLine(name: $0.tax.name, rate: $0.tax.hundredths, amount: $0.amount) }
        return Sale(orderID: orderID, idempotencyKey: idempotencyKey, amount: totals.total, terms: terms)
    }

    /// The basket for a receipt, a page or a slip: its items in its own prices, the discount, what
    /// is charged, and the taxes by rate.
    public func lines() throws(BasketError) -> [Receipt.Line] {
        let totals = try totals()
        var lines = items.map { item in
            Receipt.Line.sum(
                item.quantity == 1 ? item.note : "\(item.quantity) x \(item.note)",
                Money(minorUnits: item.amount, currency: currency))
        }
        if let discount = totals.discount {
            // Not zero and at most 12 digits, so it has an opposite.
            lines.append(.sum("Discount", Money(minorUnits: -discount.minorUnits, currency: currency)))
        }
        lines += [.gap] + extras(totals) + [.amount(totals.total)]
        for rate in totals.rates {
            lines.append(.sum("Net \(rate.line.percentage)", rate.net))
            lines.append(.sum("\(rate.tax.name) \(rate.line.percentage)", rate.amount))
        }
        if !totals.rates.isEmpty, totals.untaxed.minorUnits > 0 { lines.append(.sum("Without tax", totals.untaxed)) }
        return lines
    }

    private func extras(_ totals: BasketTotals) -> [Receipt.Line] {
        let extras = [("Service charge", totals.serviceCharge), ("Tip", totals.tip)].compactMap { name, amount in
            amount.map { Receipt.Line.sum(name, $0) }
        }
        return extras.isEmpty ? [] : [.sum("Subtotal", totals.goods)] + extras
    }
}

extension BasketTotals.Rate {
    fileprivate var line: TaxLine { TaxLine(name: tax.name, rate: tax.hundredths, amount: amount) }
}

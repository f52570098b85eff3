public import PaymentTerminal

/// What a basket comes to. All amounts are exact, and add up:
/// - ``goods``, ``serviceCharge`` and ``tip`` are ``total``;
/// - net and tax of all ``rates`` are ``total``;
/// - ``discount`` is in ``goods`` already.
public struct BasketTotals: Sendable, Equatable {
    /// What one rate comes to, over the items of every kind.
    public struct Rate: Sendable, Equatable {
        public let tax: TaxRate
        public let net: Money
        public let amount: Money
    }

    /// What is charged.
    public let total: Money
    /// The ``BasketItem/Kind/normal`` items with their tax, less the discount.
    public let goods: Money
    /// The service charges with their tax; nil without any.
    public let serviceCharge: Money?
    /// The tips with their tax; nil without any.
    public let tip: Money?
    /// As it was given: in the basket's prices.
    public let discount: Money?
    /// By rising rate, those that an item has. The rate 0 is there only if ``Basket/taxes`` has it.
    public let rates: [Rate]
    /// What bears no tax of ``rates``.
    public let untaxed: Money
}

extension Basket {
    /// What is charged, and what it consists of.
    ///
    /// Tax is computed once for each rate, over the sum of its lines, and rounded half up to a minor
    /// unit, as EN 16931-1 has it for invoices (BR-CO-17: taxable amount of the rate times the
    /// rate). Line by line, the error would grow with the number of lines. With gross prices the tax
    /// is *sum · rate / (100 % + rate)*, and is taken out: what is charged is not rounded at all.
    /// With net prices it is *sum · rate*, and is added.
    ///
    /// A discount is shared among the rates in proportion to their items, by the largest remainder
    /// (the lower rate at a tie): its shares are the discount. So are the shares that goods, service
    /// charge and tip have in the added tax of a rate.
    ///
    /// - Throws: ``BasketError/empty``, ``BasketError/discountAboveItems``,
    ///   ``BasketError/nothingToCharge``, ``BasketError/nothingBesideExtras``,
    ///   ``BasketError/tooLarge``.
    public func totals() throws(BasketError) -> BasketTotals {
        guard !items.isEmpty else { throw .empty }
        let groups = try groups()
        var (goods, serviceCharge, tip, untaxed) = (Int64(0), Int64(0), Int64(0), Int64(0))
        var rates: [BasketTotals.Rate] = []
        for group in groups {
            let sum = group.goods + group.serviceCharge + group.tip
            let tax = Self.tax(of: sum, at: group.rate, prices)
            let added = prices == .net ? tax : 0
            let shares = try Apportionment.share(added, over: [group.goods, group.serviceCharge, group.tip])
            goods += group.goods + shares[0]
            serviceCharge += group.serviceCharge + shares[1]
            tip += group.tip + shares[2]
            if let name = taxes.first(where: { $0.hundredths == group.rate }) {
                rates.append(.init(tax: name, net: money(sum + added - tax), amount: money(tax)))
            } else {
                untaxed += sum
            }
        }
        let total = goods + serviceCharge + tip
        guard total <= Self.maximumPrice else { throw .tooLarge }
        guard total > 0 else { throw .nothingToCharge }
        guard goods > 0 else { throw .nothingBesideExtras }
        func has(_ kind: BasketItem.Kind) -> Bool { items.contains { $0.kind == kind } }
        return BasketTotals(
            total: money(total), goods: money(goods), serviceCharge: has(.serviceCharge) ? money(serviceCharge) : nil,
            tip: has(.tip) ? money(tip) : nil, discount: discount > 0 ? money(discount) : nil, rates: rates,
            untaxed: money(untaxed))
    }

    /// The sums of one rate, in the basket's prices.
    private struct Group {
        let rate: Int
        var goods: Int64 = 0
        var serviceCharge: Int64 = 0
        var tip: Int64 = 0
    }

    /// By rising rate, the discount taken off. Together they have at most 12 digits, so that no sum
    /// of a few of them is beyond `Int64`.
    private func groups() throws(BasketError) -> [Group] {
        var byRate: [Int: Group] = [:]
        var all: Int64 = 0
        for item in items {
            let (sum, isBeyond) = all.addingReportingOverflow(item.amount)
            guard !isBeyond else { throw .tooLarge }
            all = sum
            var group = byRate[item.taxRate] ?? Group(rate: item.taxRate)
            // Each is at most the sum of all.
            switch item.kind {
            case .normal: group.goods += item.amount
            case .serviceCharge: group.serviceCharge += item.amount
            case .tip: group.tip += item.amount
            }
            byRate[item.taxRate] = group
        }
        var groups = byRate.values.sorted { $0.rate < $1.rate }
        let shares = try Apportionment.share(discount, over: groups.map(\.goods))
        for (index, share) in zip(groups.indices, shares) { groups[index].goods -= share }
        guard all - discount <= Self.maximumPrice else { throw .tooLarge }
        return groups
    }

    /// - Parameters:
    ///   - sum: 0 to ``maximumPrice``.
    ///   - rate: 0 to ``TaxRate/maximum``.
    private static func tax(of sum: Int64, at rate: Int, _ prices: Prices) -> Int64 {
        let rate = Int64(rate)
        let whole: Int64 = prices == .gross ? 100_00 + rate : 100_00
        // 12 digits times 4 fit. Half up: both halves are above zero.
        return (2 * sum * rate + whole) / (2 * whole)
    }

    private func money(_ minorUnits: Int64) -> Money { Money(minorUnits: minorUnits, currency: currency) }
}

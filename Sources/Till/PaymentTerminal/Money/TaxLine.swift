/// A tax within an amount.
public struct TaxLine: Sendable, Equatable, Codable {
    /// The name on receipts: `VAT`, up to ``nameLimit`` characters.
    public var name: String
    /// In hundredths of a percent: 700 is 7 %.
    public var rate: Int
    /// The amount of this tax.
    public var amount: Money

    /// The maximum number of characters of a name; the minimum is one.
    public static let nameLimit = 20

    /// A tax for ``PaymentTerms/taxes``.
    ///
    /// - Parameters:
    ///   - name: 1 to ``nameLimit`` characters.
    ///   - rate: In hundredths of a percent, 0 to 10,000.
    ///   - amount: The tax within the payment's amount, in its currency.
    public init(name: String, rate: Int, amount: Money) {
        self.name = name
        self.rate = rate
        self.amount = amount
    }

    /// The rate with as many decimals as it needs: `7 %`, `5.5 %`, `8.25 %`.
    public var percentage: String {
        let (whole, hundredths) = rate.quotientAndRemainder(dividingBy: 100)
        guard hundredths != 0 else { return "\(whole) %" }
        let decimals = hundredths.isMultiple(of: 10) ? String(hundredths / 10) : (hundredths < 10 ? "0" : "") + String(hundredths)
        return "\(whole).\(decimals) %"
    }
}

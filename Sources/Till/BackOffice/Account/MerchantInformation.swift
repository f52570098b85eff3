public import PaymentTerminal

/// What a back office knows of a merchant, for a till that is to ask for the right amounts.
public struct MerchantInformation: Sendable, Equatable, Codable {
    public var name: String
    /// The number by which the acquirer knows the merchant.
    public var merchantID: String
    /// ISO 3166-1, two letters.
    public var country: String
    public var defaultCurrency: Currency
    public var currencies: [Currency]
    /// In hundredths of a percent: 700 is 7 %.
    public var taxRates: [Int]
    /// Whether prices are without tax.
    public var hasNetPrices: Bool
    public var limits: AmountLimits
    public var serviceCharge: ServiceCharge?

    public init(
        name: String, merchantID: String, country: String, defaultCurrency: Currency, taxRates: [Int] = [],
        limits: AmountLimits = AmountLimits()
    ) {
        self.name = name
        self.merchantID = merchantID
        self.country = country
        self.defaultCurrency = defaultCurrency
        currencies = [defaultCurrency]
        self.taxRates = taxRates
        hasNetPrices = false
        self.limits = limits
        serviceCharge = nil
    }

    /// Whether a till may ask for `amount`, before a card is asked for. The limits are for
    /// the default currency: they say nothing of another one.
    ///
    /// - Parameter today: The sum of the payments of the same day, in the same currency.
    public func permits(_ amount: Money, today: Int64 = 0) -> Permission {
        guard currencies.contains(amount.currency) else { return .currency }
        guard amount.currency == defaultCurrency else { return .permitted }
        return limits.permits(amount.minorUnits, today: today)
    }

    /// What becomes of an amount.
    public enum Permission: Sendable, Equatable {
        case permitted
        /// The merchant has no such currency.
        case currency
        case belowLowerLimit
        case aboveUpperLimit
        case aboveDailyLimit
    }
}

/// The limits of a merchant's payments, in minor units of the default currency; nil is none.
public struct AmountLimits: Sendable, Equatable, Codable {
    /// The least amount of a payment.
    public var lower: Int64?
    /// The greatest amount of a payment.
    public var upper: Int64?
    /// The greatest sum of a day.
    public var daily: Int64?

    public init(lower: Int64? = nil, upper: Int64? = nil, daily: Int64? = nil) {
        self.lower = lower
        self.upper = upper
        self.daily = daily
    }

    func permits(_ amount: Int64, today: Int64) -> MerchantInformation.Permission {
        if let lower, amount < lower { return .belowLowerLimit }
        if let upper, amount > upper { return .aboveUpperLimit }
        if let daily {
            let (sum, isBeyond) = today.addingReportingOverflow(amount)
            if isBeyond || sum > daily { return .aboveDailyLimit }
        }
        return .permitted
    }
}

/// What is added to a basket, and its tax.
public struct ServiceCharge: Sendable, Equatable, Codable {
    /// In minor units of the default currency.
    public var amount: Int64
    /// In hundredths of a percent.
    public var taxRate: Int

    public init(amount: Int64, taxRate: Int) {
        self.amount = amount
        self.taxRate = taxRate
    }
}

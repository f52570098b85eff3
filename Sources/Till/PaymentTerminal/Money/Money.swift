/// An amount of a currency, counted in its minor units: 1234 of EUR are 12.34 EUR.
public struct Money: Sendable, Hashable, Codable {
    /// 1234 for 12.34 EUR, and for 1234 JPY.
    public let minorUnits: Int64
    /// Its exponent says how many of the digits are decimals.
    public let currency: Currency

    /// Any amount, also zero and below; a payment needs one above zero.
    public init(minorUnits: Int64, currency: Currency) {
        self.minorUnits = minorUnits
        self.currency = currency
    }

    /// The amount written as `12.34`: a whole number without leading zeros, and exactly as many
    /// decimals as the currency has.
    ///
    /// Signs, white space, grouping and a comma are refused: an ambiguous amount is invalid.
    public init(parsing decimal: some StringProtocol, in currency: Currency) throws(MoneyError) {
        let parts = decimal.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1].utf8.count : 0
        guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            parts[0] == "0" || parts[0].first != "0"
        else { throw .notAnAmount }
        guard decimals == currency.exponent else { throw .decimals(currency) }
        guard let minorUnits = Int64(parts.joined()) else { throw .tooLarge }
        self.init(minorUnits: minorUnits, currency: currency)
    }

    /// The amount written as `12.34 EUR`, one space between.
    public init(parsing text: some StringProtocol) throws(MoneyError) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw .notAnAmount }
        guard let currency = Currency(code: parts[1]) else { throw .unknownCurrency }
        try self.init(parsing: parts[0], in: currency)
    }

    /// The amount without its currency: `12.34`.
    public var decimal: String {
        let digits = String(minorUnits.magnitude)
        let padded = String(repeating: "0", count: max(0, Int(currency.exponent) + 1 - digits.count)) + digits
        let sign = minorUnits < 0 ? "-" : ""
        guard currency.exponent > 0 else { return sign + padded }
        return sign + padded.dropLast(Int(currency.exponent)) + "." + padded.suffix(Int(currency.exponent))
    }
}

extension Money: ExpressibleByStringLiteral {
    /// `"12.34 EUR"`. An invalid literal is a programming error, and traps.
    public init(stringLiteral text: String) {
        do { try self.init(parsing: text) } catch { preconditionFailure("the amount \"\(text)\" is invalid: \(error)") }
    }
}

extension Money: CustomStringConvertible {
    /// `12.34 EUR`.
    public var description: String { "\(decimal) \(currency)" }
}

/// Why a text is not an amount of money.
public enum MoneyError: Error, Equatable, Sendable {
    /// Not digits with one point, or the space and currency are missing: write it as `12.34 EUR`.
    case notAnAmount
    /// The text has more or fewer decimals than the currency.
    case decimals(Currency)
    /// The code is not one of ``Currency/all``, in capitals.
    case unknownCurrency
    /// The amount exceeds `Int64.max` minor units.
    case tooLarge
}

extension MoneyError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notAnAmount: "not an amount: write it as 12.34 EUR"
        case .decimals(let currency): "an amount in \(currency) needs \(currency.exponent) decimals"
        case .unknownCurrency: "unknown currency: give its ISO 4217 code in capitals"
        case .tooLarge: "the amount is too large, or has no decimals: write it as 12.34"
        }
    }
}

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
        let decimals =
            hundredths.isMultiple(of: 10) ? String(hundredths / 10) : (hundredths < 10 ? "0" : "") + String(hundredths)
        return "\(whole).\(decimals) %"
    }
}

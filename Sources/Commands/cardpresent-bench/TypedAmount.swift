import PaymentTerminal

extension Money {
    /// The maximum number of digits of an amount without decimals, so that a card number in the
    /// wrong place is not an amount.
    private static let maximumWholeDigits = 6

    /// An amount as typed by a person: `12.34`, `10` for 10.00, or with a currency, `12.34 EUR`.
    /// Without one it is in euro.
    init(typed text: String, in local: Currency) throws(MoneyError) {
        let words = text.split(separator: " ")
        guard let number = words.first, words.count <= 2 else { throw .notAnAmount }
        guard let currency = words.count == 2 ? Currency(code: words[1]) : local else { throw .unknownCurrency }
        let isWhole = number.utf8.count <= Self.maximumWholeDigits && number.allSatisfy(\.isWholeNumber) && currency.exponent > 0
        try self.init(
            parsing: isWhole ? number + "." + String(repeating: "0", count: Int(currency.exponent)) : String(number), in: currency)
    }
}

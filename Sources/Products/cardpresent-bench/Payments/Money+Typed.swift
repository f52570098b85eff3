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
        let isDigits = number.allSatisfy { $0.isASCII && $0.isWholeNumber } && currency.exponent > 0
        guard !isDigits || number.utf8.count <= Self.maximumWholeDigits else { throw .tooLarge }
        let isWhole = isDigits
        try self.init(
            parsing: isWhole ? number + "." + String(repeating: "0", count: Int(currency.exponent)) : String(number),
            in: currency)
    }
}

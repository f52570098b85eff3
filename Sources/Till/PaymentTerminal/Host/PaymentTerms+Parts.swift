extension PaymentTerms {
    /// - Throws: ``TerminalError/Code/invalidAmount`` if the parts of the amount do not fit into
    ///   it.
    func checkParts(of amount: Money) throws(TerminalError) {
        for tax in taxes {
            guard (1...TaxLine.nameLimit).contains(tax.name.count), (0...100_00).contains(tax.rate) else {
                throw TerminalError(
                    .invalidRequest,
                    "a tax has a name of 1 to \(TaxLine.nameLimit) characters and a rate from 0 to 10000 hundredths of a percent"
                )
            }
        }
        let parts = [
            ("the tip", [tip]), ("the service charge", [serviceCharge]),
            ("tip and service charge", [tip, serviceCharge]),
        ]
        for (name, amounts) in parts + [("the taxes", taxes.map(\.amount))]
        where !amount.holds(amounts.compactMap(\.self)) {
            throw TerminalError(.invalidAmount, "\(name) must be a part of the amount, in its currency")
        }
    }
}

extension Money {
    /// Whether `parts` are non-negative amounts of the currency whose sum is less than this amount.
    fileprivate func holds(_ parts: [Money]) -> Bool {
        var rest = minorUnits
        for part in parts {
            guard part.currency == currency, part.minorUnits >= 0, part.minorUnits < rest else { return false }
            rest -= part.minorUnits
        }
        return true
    }
}

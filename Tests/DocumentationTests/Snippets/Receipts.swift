import CardBench

enum Receipts {
    static func sale() throws -> Sale {
        let euros = { (text: String) throws(MoneyError) in try Money(parsing: text, in: .euro) }
        return try Sale(
            orderID: OrderID("order-5"), amount: euros("12.34"),
            terms: PaymentTerms(
                tip: euros("1.50"), serviceCharge: euros("0.84"),
                taxes: [TaxLine(name: "VAT", rate: 1900, amount: euros("1.50"))]))
    }

    static func print(_ receipt: Receipt) {
        for line in receipt.lines(for: .merchant) {
            switch line {
            case .row(let name, let value): Swift.print(name, value)
            case .amount(let money): Swift.print("AMOUNT", money)
            default: break
            }
        }
    }
}

import Foundation
import PaymentTerminal
import Testing

@Suite("Amounts of money as text") struct MoneyTests {
    @Test(arguments: [
        ("12.34 EUR", 1234), ("0.05 EUR", 5), ("0.00 USD", 0), ("500 JPY", 500), ("1.234 KWD", 1234),
        ("92233720368547758.07 EUR", Int64.max),
    ])
    func readsAndWritesWhatItRead(_ text: String, _ minorUnits: Int64) throws {
        let money = try Money(parsing: text)
        #expect(money.minorUnits == minorUnits)
        #expect(money.description == text)
    }

    @Test(arguments: [
        "", ".", "12,34", "+1.00", "-1.00", " 1.00", "1.00 ", "01.00", "1.", ".50", "1.2.3", "1e2", "١.٠٠",
    ])
    func refusesWhatCanBeMisread(_ text: String) {
        #expect(throws: MoneyError.notAnAmount) { try Money(parsing: text, in: .euro) }
    }

    @Test(arguments: ["1", "1.0", "1.000"]) func wantsTheCurrencysDecimals(_ text: String) {
        #expect(throws: MoneyError.decimals(.euro)) { try Money(parsing: text, in: .euro) }
    }

    @Test func refusesUnknownCurrenciesAndAmountsBeyondTheType() {
        #expect(throws: MoneyError.unknownCurrency) { try Money(parsing: "1.00 XXX") }
        #expect(throws: MoneyError.unknownCurrency) { try Money(parsing: "1.00 eur") }
        #expect(throws: MoneyError.tooLarge) { try Money(parsing: "92233720368547758.08", in: .euro) }
    }

    @Test(
        "a request of texts is the one of the values, or says which text is invalid",
        arguments: [
            ("order-1", "12.34 EUR", nil), ("", "12.34 EUR", .refused(.invalidRequest)),
            ("order\n1", "12.34 EUR", .refused(.invalidRequest)),
            ("4111111111111111", "12.34 EUR", .refused(.invalidRequest)), ("order-1", "12.34", .invalidAmount),
            ("order-1", "12.3 EUR", .invalidAmount), ("order-1", "12.34 XXX", .invalidAmount),
        ] as [(String, String, TerminalError.Code?)])
    func requests(_ order: String, _ amount: String, _ code: TerminalError.Code?) throws {
        let requests: [() throws(TerminalError) -> (OrderID, Money)] = [
            { () throws(TerminalError) in
                let sale = try Sale(orderID: order, amount: amount)
                return (sale.orderID, sale.amount)
            },
            { () throws(TerminalError) in
                let refund = try Refund(orderID: order, amount: amount, target: .transaction("U1"))
                return (refund.orderID, refund.amount)
            },
            { () throws(TerminalError) in
                let capture = try FundsCapture(orderID: order, original: "U1", amount: amount)
                return (capture.orderID, capture.amount)
            },
        ]
        for request in requests {
            guard let code else {
                let (orderID, money) = try request()
                #expect(orderID.text == order)
                #expect(money.description == amount)
                continue
            }
            let error = #expect(throws: TerminalError.self) { try request() }
            #expect(error?.code == code)
            #expect(error.map { !$0.message.contains("4111") && !$0.message.contains("\n") } == true)
        }
    }

    @Test func writesNegativeAmounts() {
        #expect(Money(minorUnits: -5, currency: .euro).decimal == "-0.05")
        #expect(Money(minorUnits: .min, currency: .yen).decimal == "-9223372036854775808")
    }

    /// `Vectors/iso-4217/list-one.tsv`: code, number, minor units.
    @Test("every currency of ISO 4217 that payments have, with its exponent") func listOne() throws {
        let list = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Vectors/iso-4217/list-one.tsv")
        let rows = try String(contentsOf: list, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { $0.split(separator: "\t") }
        for row in rows {
            let currency = Currency(code: row[0])
            guard let exponent = UInt8(row[2]) else {
                #expect(currency == nil)
                continue
            }
            #expect(currency?.exponent == exponent, "\(row)")
            #expect(currency?.number == UInt16(row[1]), "\(row)")
            #expect(Currency(number: UInt16(row[1]) ?? 0) == currency, "\(row)")
        }
        #expect(Currency.all.count == rows.count { $0[2] != "-" })
        // Withdrawn: records have it, and nobody is offered it.
        #expect(Currency(code: "HRK")?.number == 191)
        #expect(!Currency.all.contains { $0.code == "HRK" })
        for currency in [Currency.euro, .poundSterling, .usDollar, .yen] {
            #expect(Currency(code: currency.code) == currency)
        }
    }

    @Test func knowsCurrenciesByBothCodes() {
        #expect(Currency(code: "EUR")?.number == 978)
        #expect(Currency(number: 414)?.code == "KWD")
        #expect(Currency(number: 414)?.exponent == 3)
        #expect(Currency(number: 392) == .yen)
        #expect(Set(Currency.all.map(\.code)).count == Currency.all.count)
        #expect(Set(Currency.all.map(\.number)).count == Currency.all.count)
    }
}
